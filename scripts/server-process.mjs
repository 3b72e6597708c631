// How the server process is started, wherever that is done.

/**
 * Small spaces for young objects and few heaps of the C library: a start would leave the process
 * with about 80 MB more, which it would never give back. It costs about a tenth of the processor
 * time of a streamed answer (`npm run bench start token-path`).
 */
export const SERVER_FLAGS = ['--max-semi-space-size=2'];

/** Environment that goes with the flags; what the operator has set wins. */
export const serverEnvironment = () => ({
  MALLOC_ARENA_MAX: process.env['MALLOC_ARENA_MAX'] ?? '2',
});
