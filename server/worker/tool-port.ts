import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import type { HostMethod, ServerMessage, StopReason, WorkerMessage } from './messages.ts';

/** A call's line to the server. */
export interface ToolPort {
  send(message: WorkerMessage, transfer?: readonly ArrayBuffer[]): void;
  /** @throws AppError as the host threw it; Error for one that nobody expected. */
  ask(method: HostMethod, parameters: readonly unknown[]): Promise<unknown>;
  /** The listener is called at once when the server has asked already. */
  onStop(listener: (reason: StopReason) => void): void;
  close(): void;
}

export function createToolPort(port: MessagePort): ToolPort {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let stopReason: StopReason | null = null;
  let tellStop = (_reason: StopReason): void => undefined;

  function receive(message: ServerMessage): void {
    if (message.type === 'stop') {
      stopReason = message.reason;
      return tellStop(message.reason);
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'host-result') return call?.resolve(message.value);
    const { code, message: text } = message;
    call?.reject(code === null ? new Error(text) : new AppError(code, text));
  }

  port.on('message', receive);

  return {
    send: (message, transfer = []) => port.postMessage(message, [...transfer]),
    ask(method, parameters) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        port.postMessage({ type: 'host-call', id, method, parameters } satisfies WorkerMessage);
      });
    },
    onStop(listener) {
      // What has arrived but waits for the event loop counts as asked.
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
        receive(next.message as ServerMessage);
      }
      tellStop = listener;
      if (stopReason !== null) listener(stopReason);
    },
    close: () => port.close(),
  };
}
