// A real service on a real socket behind a front that does to requests what networks and services in trouble do.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeListener } from '../../src/adapters/node.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { type World, world } from '../world.ts';

/** What happens to one request instead of an answer: null, nothing does. */
export type Fault =
  | null
  /** The connection breaks before anything came. */
  | 'reset'
  /** It breaks in the middle of the body. */
  | 'cut'
  /** The answer comes, and breaks after its first piece. */
  | 'broken'
  /** Some pieces of the answer come, and nothing after them. */
  | 'stalled'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** A service with its faults, and what was asked of it. */
export interface FaultyService extends World {
  readonly url: string;
  /** What the next requests meet, in order; then none meets anything. */
  readonly faults: Fault[];
  /** Of each request: its path, and the headers that matter here. */
  readonly asked: { readonly path: string; readonly authorization: string | undefined; readonly status: number }[];
  /** Whether it has no whole registers, as older ones have none: they are answered 404, and are no requests here. */
  isOld: boolean;
  /** Called before each request is answered. */
  onRequest: () => void | Promise<void>;
  /** Ends every connection and takes no new one, as a service does that is being started anew. */
  goDown(): void;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** Options of a walk with the service's key that waits no time, but notes how long it would. */
export function withoutWaits({ key }: FaultyService): { readonly options: ClientOptions; readonly waits: number[] } {
  const waits: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
  };
  return { options: { key, sleep }, waits };
}

/** Starts a service with `count` records. */
export async function startFaultyService(count: number): Promise<FaultyService> {
  const faults: Fault[] = [];
  const asked: FaultyService['asked'] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const deployment = await world({ records: count, baseUrl: url });
  const listener = toNodeListener((request) => service.fetch(request));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (service.isOld && /\/register\.\w+(?:\?|$)/.test(request.url!)) {
      response.writeHead(404).end();
      return;
    }
    await service.onRequest();
    const fault = faults.shift() ?? null;
    response.once('close', () => {
      asked.push({ path: request.url!, authorization: request.headers.authorization, status: response.statusCode });
    });
    if (fault === null) {
      listener(request, response);
    } else if (fault === 'broken' || fault === 'stalled') {
      const write = response.write.bind(response) as (piece: Uint8Array) => boolean;
      let pieces = 0;
      response.write = (piece: Uint8Array) => {
        if (fault === 'stalled' && pieces++ > 3) return false;
        if (fault === 'broken' && pieces++ > 0) request.socket.destroy();
        return write(piece);
      };
      listener(request, response);
    } else if (fault === 'reset') {
      request.socket.destroy();
    } else if (fault === 'cut') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{"records":[', () => request.socket.destroy());
    } else {
      response.writeHead(fault.status, fault.headers).end(fault.body);
    }
  }

  const service: FaultyService = {
    ...deployment,
    url,
    faults,
    asked,
    isOld: false,
    onRequest: () => undefined,
    goDown() {
      server.close();
      server.closeAllConnections();
    },
    async comeBack() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async stop() {
      service.goDown();
      await deployment.close();
    },
  };
  return service;
}
