// A snapshot in the bucket of a server that others wrote: names, lists, entity tags, times and refusals are those of s3rver.
// It ignores conditions, so a front decides those, and hands on nothing that arrives half. It does not check signatures of
// version 4, and its lists of more than 1,000 names need a cipher that OpenSSL has put away: test/snapshot/bucket tests both.
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { folder, gazette } from '../cli/run.ts';
import { makeStore } from '../cli/served.ts';
import { argumentsOf } from '../cli/snapshots.ts';
import { tried, tries } from '../effort.ts';
import { type KillableServer, killRuns, variablesOf } from '../snapshot/bucket/killed-runs.ts';
import { loadJudge } from './tools.ts';

/** What is used of s3rver. */
interface Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
  readonly store: {
    getMetadata(bucket: string, key: string): Promise<{ readonly etag: string }>;
    getObject(bucket: string, key: string): Promise<{ readonly content: NodeJS.ReadableStream } | null>;
    listObjects(bucket: string, options: object): Promise<{ readonly objects: readonly { readonly key: string }[] }>;
  };
}
interface Judge {
  readonly default: new (options: object) => Server;
}

let S3rver: Judge['default'];
beforeAll(async () => {
  S3rver = (await loadJudge<Judge>('s3rver')).default;
});

const BUCKET = 'registers';
/** The account that s3rver has. */
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
/** With the eight of test/cli/snapshot-bucket-killed.heavy.test.ts, twenty. */
const KILLS = tries(12, 20);

const later = (date: string, ms: number): string => new Date(Date.parse(date) + ms).toUTCString();

interface Judged extends KillableServer {
  /** Of the server without the front. */
  readonly bareUrl: string;
}

/** The server, and the front before it; both end with the test. */
async function judge(): Promise<Judged> {
  const options = { address: '127.0.0.1', port: 0, silent: true, configureBuckets: [{ name: BUCKET }] };
  const server = new S3rver({ ...options, directory: await folder() });
  const { port } = await server.run();
  onTestFinished(() => server.close());
  const { store } = server;
  const tagOf = (key: string): Promise<string | null> =>
    store.getMetadata(BUCKET, key).then(
      ({ etag }) => etag,
      () => null,
    );

  const front = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  /** One request after the other: a condition holds until the write is done, and nobody reads what is half written. */
  let queue: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(job: () => Promise<Result>): Promise<Result> {
    const done = queue.then(job);
    queue = done.catch(() => undefined);
    return done;
  }
  /** How far the clock was ahead when an object was written. */
  const aheadAt = new Map<string, number>();
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const key = decodeURIComponent(new URL(request.url!, 'http://front').pathname.split('/').slice(2).join('/'));
    await inTurn(() => answerNext(request, response, key, body));
  }
  async function answerNext(
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    body: Buffer,
  ): Promise<void> {
    const { 'if-match': match, 'if-none-match': none, ...headers } = request.headers;
    const tag = match === undefined && none === undefined ? null : await tagOf(key);
    if ((none !== undefined && tag !== null) || (match !== undefined && match !== tag)) {
      response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
      return;
    }
    const answered = await new Promise<IncomingMessage>((resolve, reject) => {
      send({ host: '127.0.0.1', port, method: request.method, path: request.url, headers }, resolve)
        .on('error', reject)
        .end(body);
    });
    const bytes = await buffer(answered);
    if (request.method !== 'GET' && answered.statusCode! < 300) {
      aheadAt.set(key, one.aheadMs);
      await one.onChange(key, readObjects);
    }
    const { date, 'last-modified': modified } = answered.headers;
    response.setHeaders(new Headers(answered.headers as Record<string, string>));
    response.setHeader('date', later(date!, one.aheadMs));
    if (modified !== undefined) response.setHeader('last-modified', later(modified, aheadAt.get(key)!));
    response.writeHead(answered.statusCode!).end(bytes);
  }
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  async function readObjects(): Promise<ReadonlyMap<string, Buffer>> {
    const { objects } = await store.listObjects(BUCKET, {});
    const read = objects.map(async ({ key }) => {
      return [key, await buffer((await store.getObject(BUCKET, key))!.content)] as const;
    });
    return new Map(await Promise.all(read));
  }
  const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
  const one: Judged = {
    env: variablesOf(urlOf((front.address() as AddressInfo).port), CREDENTIALS),
    bareUrl: urlOf(port),
    objects: () => inTurn(readObjects),
    onChange: () => undefined,
    aheadMs: 0,
  };
  return one;
}

describe('gazette snapshot --out s3:// on s3rver', () => {
  it('killed at any moment leaves old and new objects, refuses a second run, and is completed by the next one', async () => {
    await killRuns(await judge(), KILLS);
    tried(KILLS);
  });

  it('is refused with a key that the server does not know, in a bucket that does not exist, and without conditions', async () => {
    const server = await judge();
    const { path } = await makeStore(3);
    const args = argumentsOf(path, `s3://${BUCKET}/site`);
    const refused = async (args: readonly string[], env: KillableServer['env'], why: string): Promise<void> => {
      const { code, stderr } = await gazette(args, undefined, env);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(why) as string });
    };
    await refused(args, { ...server.env, AWS_ACCESS_KEY_ID: 'another' }, '403 InvalidAccessKeyId');
    await refused(argumentsOf(path, 's3://elsewhere/site'), server.env, '404 NoSuchBucket');
    expect(await server.objects()).toEqual(new Map());
    await refused(args, { ...server.env, AWS_ENDPOINT_URL_S3: server.bareUrl }, 'ignores If-None-Match');
  });
});
