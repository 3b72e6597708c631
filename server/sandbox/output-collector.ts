import { StringDecoder } from 'node:string_decoder';
import { OUTPUT_LIMIT_BYTES } from './sandbox.ts';

export interface OutputCollector {
  /** @returns the text that was added, which is empty when nothing more fits. */
  add(bytes: Uint8Array): string;
  readonly text: string;
  readonly isCut: boolean;
}

/** Collects printed bytes as text of at most 65,536 bytes, characters whole. */
export function createOutputCollector(): OutputCollector {
  const decoder = new StringDecoder('utf8');
  const pieces: string[] = [];
  let room: number = OUTPUT_LIMIT_BYTES;
  let isCut = false;
  return {
    add(bytes) {
      const decoded = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      const kept = isCut ? '' : cutToBytes(decoded, room);
      isCut ||= kept.length < decoded.length;
      room -= Buffer.byteLength(kept);
      if (kept !== '') pieces.push(kept);
      return kept;
    },
    get text() {
      return pieces.join('');
    },
    get isCut() {
      return isCut;
    },
  };
}

/** Half a character at the end is left out: the decoder waits for its rest. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, bytes));
}
