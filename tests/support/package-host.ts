import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LockedPackage, PackageLock } from '../../server/sandbox/package-lock.ts';

/** How the host answers for a file, in place of sending it. */
export type HostBehaviour =
  /** Other bytes than the lock means. */
  | 'wrong'
  | 'redirect'
  /** Bytes that never end. */
  | 'endless'
  /** The connection is closed in the middle of the file. */
  | 'cut'
  /** The first half, and the rest when the behaviour ends. */
  | 'stall'
  | 'absent';

export interface PackageHost {
  readonly origin: string;
  /** Paths in the order of the requests. */
  readonly requests: readonly string[];
  /** Bytes of the file of a package. */
  contentOf(name: string): Buffer;
  /** A lock over packages that this host has. */
  lock(packages: Readonly<Record<string, Partial<LockedPackage>>>): PackageLock;
  behave(name: string, behaviour: HostBehaviour | null): void;
  close(): Promise<void>;
}

const fileNameOf = (name: string): string => `${name.replaceAll('-', '_')}-1.0.0-py3-none-any.whl`;

/** A host of package files on the loopback address. */
export async function startPackageHost(): Promise<PackageHost> {
  const requests: string[] = [];
  const behaviours = new Map<string, HostBehaviour>();
  const contentOf = (name: string): Buffer => Buffer.from(`wheel of ${name} `.repeat(2_000));
  const files = new Map<string, string>();
  const held = new Map<string, () => void>();

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const name = files.get(path.split('/').at(-1) ?? '');
    if (name === undefined) response.writeHead(404).end();
    else {
      const content = contentOf(name);
      held.set(name, () => response.end(content.subarray(content.length / 2)));
      answer(response, content, behaviours.get(name) ?? null);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...{ origin, requests, contentOf },
    lock(packages) {
      const locked = Object.entries(packages).map(([name, facts]): LockedPackage => {
        files.set(fileNameOf(name), name);
        const sha256 = createHash('sha256').update(contentOf(name)).digest('hex');
        const defaults = { name, version: '1.0.0', file_name: fileNameOf(name), sha256 };
        return { ...defaults, imports: [name], depends: [], ...facts };
      });
      return { baseUrl: origin, packages: locked };
    },
    behave(name, behaviour) {
      if (behaviours.get(name) === 'stall') held.get(name)?.();
      if (behaviour === null) behaviours.delete(name);
      else behaviours.set(name, behaviour);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function answer(response: ServerResponse, content: Buffer, behaviour: HostBehaviour | null): void {
  const half = content.subarray(0, content.length / 2);
  const headers = { 'content-length': content.length };
  switch (behaviour) {
    case null:
      return void response.writeHead(200, headers).end(content);
    case 'wrong':
      return void response.writeHead(200, headers).end(Buffer.alloc(content.length, 'x'));
    case 'redirect':
      return void response.writeHead(302, { location: '/elsewhere.whl' }).end();
    case 'absent':
      return void response.writeHead(404).end();
    case 'cut':
      return void response.writeHead(200, headers).write(half, () => response.destroy());
    case 'stall':
      return void response.writeHead(200, headers).write(half);
    case 'endless':
      return sendEndlessly(response, content);
  }
}

function sendEndlessly(response: ServerResponse, content: Buffer): void {
  const send = (): void => {
    while (!response.destroyed && response.write(content));
  };
  response.on('drain', send).on('error', () => undefined);
  send();
}
