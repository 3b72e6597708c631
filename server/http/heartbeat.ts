import type { Clock } from '../clock.ts';
import type { Viewer } from '../services/viewer.ts';

const HEARTBEAT_MS = 12_000;
/** Heartbeats between two looks at whether the credential still counts. */
const BEATS_BETWEEN_LOOKS = 5;

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Shows the client that the connection lives. */
  beat(): void;
  /** Whom the connection serves; null before that is known. */
  viewer(): Viewer | null;
  /** Reads the credential of the connection again. */
  authenticate(): Promise<Viewer | null>;
  /** The credential does not count any more, or counts for another role. */
  onCredentialEnd(): void;
}

/**
 * Keeps a long connection from looking idle, and notices when its credential ends.
 *
 * @returns what stops it.
 */
export function startHeartbeat(options: HeartbeatOptions): () => void {
  let beats = 0;
  return options.clock.every(HEARTBEAT_MS, () => {
    options.beat();
    beats += 1;
    const viewer = options.viewer();
    if (viewer === null || beats % BEATS_BETWEEN_LOOKS !== 0) return;
    options.authenticate().then(
      (found) => {
        if (found?.role !== viewer.role) options.onCredentialEnd();
      },
      // The database is away: nobody has said that the credential has ended.
      () => undefined,
    );
  });
}
