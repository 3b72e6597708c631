import type { MessagePort } from 'node:worker_threads';

/** A task that does nothing but say so on its port. */
export function runBareTask({ port }: { readonly port: MessagePort }): void {
  port.on('message', () => undefined);
  port.postMessage('started');
  port.close();
}
