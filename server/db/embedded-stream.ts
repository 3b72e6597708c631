import { Duplex } from 'node:stream';

const TERMINATE = 0x58; // "X", the message with which a client says good-bye
const LENGTH_BYTES = 4;

export type ExecuteMessages = (messages: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;

type Done = (error?: Error | null) => void;

/**
 * What `pg` takes for its socket: whole protocol messages go to the embedded database, its answers
 * come back. So the same driver and adapter serve both databases.
 */
export class EmbeddedStream extends Duplex {
  readonly #execute: ExecuteMessages;
  #unfinished = Buffer.alloc(0);
  /** The first message of a connection has no type byte. */
  #isStarted = false;

  constructor(execute: ExecuteMessages) {
    super();
    this.#execute = execute;
  }

  connect(): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // Answers are pushed as they come: each is complete, and was asked for.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send(chunk).then(() => done(), done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  async #send(chunk: Buffer): Promise<void> {
    const data = this.#unfinished.length > 0 ? Buffer.concat([this.#unfinished, chunk]) : chunk;
    const { end, isTerminated } = this.#findEndOfMessages(data);
    this.#unfinished = Buffer.from(data.subarray(end));
    if (end > 0) {
      const answer = await this.#execute(new Uint8Array(data.subarray(0, end)));
      if (answer.length > 0)
        this.push(Buffer.from(answer.buffer, answer.byteOffset, answer.length));
    }
    // The one session of the database outlives its clients: the farewell is not passed on.
    if (isTerminated) this.push(null);
  }

  #findEndOfMessages(data: Buffer): { readonly end: number; readonly isTerminated: boolean } {
    let end = 0;
    for (;;) {
      const headerBytes = this.#isStarted ? 1 : 0;
      if (data.length - end < headerBytes + LENGTH_BYTES) return { end, isTerminated: false };
      if (this.#isStarted && data[end] === TERMINATE) return { end, isTerminated: true };
      const messageBytes = headerBytes + data.readInt32BE(end + headerBytes);
      if (data.length - end < messageBytes) return { end, isTerminated: false };
      end += messageBytes;
      this.#isStarted = true;
    }
  }
}
