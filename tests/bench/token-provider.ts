import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, Worker } from 'node:worker_threads';

/** A model server in a thread of its own, which answers every request with the same words. */
export interface TokenProvider {
  readonly url: string;
  /** When the first word of each answer since the last call was sent, in milliseconds since 1970. */
  starts(): Promise<readonly number[]>;
  close(): Promise<void>;
}

export const TOKENS = 500;
/** A model thinks about its second word, too: the first is on its way alone. */
const AFTER_FIRST_MS = 20;

export async function startTokenProvider(): Promise<TokenProvider> {
  const worker = new Worker(new URL(import.meta.url));
  const answer = (): Promise<unknown> => new Promise((resolve) => worker.once('message', resolve));
  const port = (await answer()) as number;
  return {
    url: `http://127.0.0.1:${port}`,
    starts() {
      worker.postMessage('starts');
      return answer() as Promise<readonly number[]>;
    },
    close: async () => void (await worker.terminate()),
  };
}

if (parentPort) serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  let starts: number[] = [];
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({
      ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'bench' },
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`;
  const words = Array.from({ length: TOKENS }, (_, index) => chunk({ content: ` word${index}` }));

  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      starts.push(performance.timeOrigin + performance.now());
      response.write(words[0]);
      setTimeout(() => {
        for (const word of words.slice(1)) response.write(word);
        response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
      }, AFTER_FIRST_MS);
    });
  });
  server.listen(0, '127.0.0.1', () => port.postMessage((server.address() as AddressInfo).port));
  port.on('message', () => {
    port.postMessage(starts);
    starts = [];
  });
}
