/**
 * A number that nothing else has: the server takes a request that comes twice with it only once.
 * `crypto.randomUUID` is not there on pages that came over plain HTTP.
 */
export const createRequestId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
