/**
 * The protocol between the server and a sandbox process, as `runner/runner.mjs` speaks it: length of the payload
 * (32 bits, little endian), type (8 bits), payload. The server believes no frame that it is given.
 */
export const FRAME = {
  ready: 1,
  package: 10,
  input: 11,
  run: 12,
  artefact: 20,
  output: 21,
  result: 22,
} as const;

export const FRAME_HEADER_BYTES = 5;
/** Of the length that stands before a name. */
const NAME_LENGTH_BYTES = 2;

/** The other side did something that its protocol does not have; the message says what, as a whole sentence. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

export type FrameType = (typeof FRAME)[keyof typeof FRAME];

export function encodeFrame(type: FrameType, payload: Uint8Array): Buffer {
  return Buffer.concat([encodeHeader(type, payload.length), payload]);
}

/** The beginning of a frame whose content of `bytes` bytes follows by itself. */
export function encodeNamedHeader(type: FrameType, name: string, bytes: number): Buffer {
  const nameBytes = Buffer.from(name);
  const length = Buffer.alloc(NAME_LENGTH_BYTES);
  length.writeUInt16LE(nameBytes.length);
  const payloadBytes = length.length + nameBytes.length + bytes;
  return Buffer.concat([encodeHeader(type, payloadBytes), length, nameBytes]);
}

function encodeHeader(type: FrameType, payloadBytes: number): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt32LE(payloadBytes);
  header.writeUInt8(type, 4);
  return header;
}

/**
 * @throws ProtocolError if there is no name in the payload.
 */
export function decodeNamed(payload: Buffer): { readonly name: string; readonly content: Buffer } {
  const nameBytes = payload.length < NAME_LENGTH_BYTES ? 0 : payload.readUInt16LE(0);
  const contentAt = NAME_LENGTH_BYTES + nameBytes;
  if (nameBytes === 0 || contentAt > payload.length) {
    throw new ProtocolError('It sent a file without a name.');
  }
  return {
    name: payload.toString('utf8', NAME_LENGTH_BYTES, contentAt),
    content: payload.subarray(contentAt),
  };
}

export interface FrameReaderOptions {
  /** The largest payload by type; a type that is not here breaks the protocol. */
  readonly maxBytes: ReadonlyMap<number, number>;
  onFrame(type: number, payload: Buffer): void;
}

/**
 * Takes bytes as they come and gives whole frames out. Never holds more than one frame, and refuses one that is too
 * large by its header.
 *
 * @throws ProtocolError from the returned function.
 */
export function createFrameReader({
  maxBytes,
  onFrame,
}: FrameReaderOptions): (chunk: Buffer) => void {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  let headerBytes = 0;
  let payload = Buffer.alloc(0);
  let payloadBytes = 0;

  function begin(): void {
    const type = header.readUInt8(4);
    const length = header.readUInt32LE(0);
    const limit = maxBytes.get(type);
    if (limit === undefined)
      throw new ProtocolError(`It sent a frame of the unknown type ${type}.`);
    if (length > limit) {
      throw new ProtocolError(
        `It sent a frame of ${length} bytes; one of type ${type} may have ${limit}.`,
      );
    }
    payload = Buffer.alloc(length);
    payloadBytes = 0;
  }

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (headerBytes < FRAME_HEADER_BYTES) {
        const taken = chunk.copy(header, headerBytes, at);
        headerBytes += taken;
        at += taken;
        if (headerBytes < FRAME_HEADER_BYTES) return;
        begin();
      }
      const taken = chunk.copy(payload, payloadBytes, at);
      payloadBytes += taken;
      at += taken;
      if (payloadBytes < payload.length) return;
      headerBytes = 0;
      onFrame(header.readUInt8(4), payload);
    }
  };
}
