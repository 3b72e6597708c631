import { messageOf } from '../api/api-error.ts';
import { createRequestId } from '../api/request-id.ts';
import { uploadFile } from '../api/upload.ts';

export class PendingUpload {
  readonly key = createRequestId();
  readonly name: string;
  readonly bytes: number;
  fraction = $state(0);
  uploadId = $state<string | null>(null);
  error = $state<string | null>(null);
  /** Set once it is a file of the chat; an upload can become one only once. */
  fileId: string | null = null;
  readonly #controller = new AbortController();

  constructor(file: File) {
    this.name = file.name;
    this.bytes = file.size;
    void this.#send(file);
  }

  stop(): void {
    this.#controller.abort();
  }

  async #send(file: File): Promise<void> {
    try {
      const { id } = await uploadFile(file, {
        onProgress: (fraction) => (this.fraction = fraction),
        signal: this.#controller.signal,
      });
      this.uploadId = id;
    } catch (error) {
      this.error = messageOf(error);
    }
  }
}

/** Files that wait for the message that they go with. */
export class PendingUploads {
  list = $state.raw<readonly PendingUpload[]>([]);

  readonly areReady = $derived(this.list.every(({ uploadId }) => uploadId !== null));

  add(files: Iterable<File>): void {
    this.list = [...this.list, ...[...files].map((file) => new PendingUpload(file))];
  }

  remove(upload: PendingUpload): void {
    upload.stop();
    this.list = this.list.filter((other) => other !== upload);
  }

  /** These went with a message. */
  forget(sent: readonly PendingUpload[]): void {
    this.list = this.list.filter((upload) => !sent.includes(upload));
  }
}
