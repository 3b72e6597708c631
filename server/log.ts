import { pino, stdSerializers, type Logger } from 'pino';

export type Log = Logger;

export interface LogOptions {
  /** `silent` is for tests. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** Fields that never reach a log line, wherever an object carries them. */
const SECRET_PATHS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'apiKey',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.token',
  '*.apiKey',
];

/** How values under certain names are written; an error would be `{}` otherwise. */
export const LOG_SERIALIZERS = { error: stdSerializers.errWithCause };

/** Structured log lines on standard error, one JSON object each. */
export function createLog({ level }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      serializers: LOG_SERIALIZERS,
      redact: { paths: SECRET_PATHS, censor: '[secret]' },
    },
    process.stderr,
  );
}
