// A world that sends: endpoints of its account, a sender, and a receiver that remembers.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../../src/webhooks/send/destination.ts';
import { Endpoints, type EndpointRequest } from '../../../src/operate/endpoints.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { WebhookSender } from '../../../src/webhooks/send/sender.ts';
import type { SenderOptions } from '../../../src/webhooks/send/sender-options.ts';
import { at, say } from '../../contracts/store-register.ts';
import { type World, world } from '../../world.ts';

/** The key of the tests' deployments. */
export const SECRETS_KEY: string = '0f'.repeat(32);

/** What came to a receiver. */
export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver that answers each request with what `answer` says: a status, or a function that does it itself. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  readonly server: Server;
}

type Answer = (received: Received, nth: number) => number | ((...args: Parameters<NodeAnswer>) => void);
type NodeAnswer = NonNullable<Parameters<typeof createServer>[1]>;

/** Starts one; it is closed when the test ends. */
export async function receiver(answer: Answer = () => 204): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url, method, headers } = request;
      const one = { path: url!, method: method!, headers, body: Buffer.concat(chunks) };
      received.push(one);
      const status = answer(one, received.length);
      if (typeof status === 'function') status(request, response);
      else response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received, server };
}

/** A deployment in one process. */
export interface Deployment extends World {
  readonly endpoints: Endpoints;
  /** A sender, closed when the test ends. */
  readonly sender: (options?: Partial<SenderOptions>) => WebhookSender;
  /** Adds an endpoint. */
  readonly add: (
    url: string,
    more?: Partial<EndpointRequest>,
  ) => Promise<{ readonly id: string; readonly secret: string }>;
  /** Commits versions of records with these keys. */
  readonly commit: (keys: readonly string[], said?: object) => Promise<void>;
}

/** Makes one over a store, whose register `permits` is empty. It is {@link at}(0). */
export async function deployment(store?: ServiceStore): Promise<Deployment> {
  const made = await world({ records: 0, ...(store === undefined ? {} : { store }) });
  const { accountId, clock, errors } = made;
  const now = (): number => clock.now;
  clock.now = Date.parse(at(0));
  const box = SecretBox.fromHex(SECRETS_KEY);
  const endpoints = new Endpoints(made.store, { box: () => box, rules: DEVELOPMENT_DESTINATIONS, now });
  return {
    ...made,
    endpoints,
    sender(options = {}) {
      const sender = new WebhookSender({
        ...{ store: made.store, baseUrl: 'https://example.org', box, rules: DEVELOPMENT_DESTINATIONS },
        ...{ now, random: () => 0.5, onError: (error) => errors.push(error) },
        ...options,
      });
      onTestFinished(() => {
        sender.close();
      });
      return sender;
    },
    async add(url, more = {}) {
      const { endpoint, secret } = await endpoints.add({ accountId, url, ...more });
      return { id: endpoint.id, secret };
    },
    async commit(keys, said = {}) {
      await made.store.apply('permits', keys.map((key) => say(key, said)), { recordedAt: new Date(clock.now).toISOString() }); // prettier-ignore
    },
  };
}
