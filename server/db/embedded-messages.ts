import type { AppError } from '../errors.ts';

/** What the thread of the embedded database is started with. */
export interface EmbeddedThreadData {
  readonly folder: string;
  readonly lockPath: string;
  readonly isDurable: boolean;
}

/** To the thread. */
export type EmbeddedRequest =
  | { readonly type: 'execute'; readonly id: number; readonly message: Uint8Array<ArrayBuffer> }
  | { readonly type: 'close' };

/** From the thread. */
export type EmbeddedReport =
  | { readonly type: 'creating' }
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly code: AppError['code']; readonly message: string }
  | { readonly type: 'executed'; readonly id: number; readonly answer: Uint8Array }
  | { readonly type: 'died'; readonly reason: string };
