// A server with the REST interface of Amazon S3, in memory, for what a snapshot asks: objects, lists, conditions, signatures.
// It can refuse, cut connections before or after it has carried out a request, and ignore conditions, as some servers do.
import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { SnapshotBucket } from '../../../src/snapshot/bucket/requests.ts';

export const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

/** What a server keeps. */
export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly type: string;
  readonly cacheControl: string;
  readonly at: number;
}

/** A request that arrived whole. */
export interface Seen {
  readonly method: string;
  /** Below the bucket; empty for a list. */
  readonly key: string;
  readonly headers: IncomingMessage['headers'];
}

/** What becomes of a request: an answer with this status, or a connection cut before or after the request is carried out. */
export type Trouble = 'cut' | 'cut after' | number | null;

export interface S3Server {
  readonly url: string;
  readonly objects: Map<string, StoredObject>;
  readonly seen: Seen[];
  /** Of each request that arrives, also when it is sent again. */
  trouble: (request: Seen) => Trouble | Promise<Trouble>;
  /** Called when an object has changed. */
  onChange: (key: string) => void;
  takesConditions: boolean;
  /** How far its clock is ahead, in milliseconds. */
  aheadMs: number;
  /** How many names a list has. */
  pageSize: number;
  close(): Promise<void>;
}

/** Starts one with a bucket `registers`. */
export async function startS3(port = 0): Promise<S3Server> {
  const objects = new Map<string, StoredObject>();
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  const one: S3Server = {
    ...{ url: '', objects, seen: [], takesConditions: true, aheadMs: 0, pageSize: 1000 },
    trouble: () => null,
    onChange: () => undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // The client went away: it has sent half a body, of which nothing is kept.
    }
    const bytes = Buffer.concat(chunks);
    const url = new URL(request.url!, one.url);
    const [, bucket, ...names] = url.pathname.split('/');
    const key = decodeURIComponent(names.join('/'));
    const seen = { method: request.method!, key, headers: request.headers };
    one.seen.push(seen);
    response.setHeader('Date', new Date(Date.now() + one.aheadMs).toUTCString());
    const refuse = (status: number, code: string): void => {
      // The secret of a real answer: what was signed.
      const text = `<Error><Code>${code}</Code><Message>no</Message><StringToSign>SIGNED</StringToSign></Error>`;
      response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
    };
    const trouble = await one.trouble(seen);
    if (trouble === 'cut') return void request.socket.destroy();
    if (typeof trouble === 'number') {
      refuse(trouble, trouble === 503 ? 'SlowDown' : 'InternalError');
      return;
    }
    if (!isSigned(request, url, bytes)) {
      refuse(403, 'SignatureDoesNotMatch');
      return;
    }
    // As Amazon's, which takes no body of a length that it does not know.
    if (request.method === 'PUT' && request.headers['content-length'] === undefined) {
      refuse(411, 'MissingContentLength');
      return;
    }
    if (bucket !== 'registers') {
      refuse(404, 'NoSuchBucket');
      return;
    }
    const end = (status: number, headers: Record<string, string>, body: Buffer | string = ''): void => {
      if (trouble === 'cut after') request.socket.destroy();
      else response.writeHead(status, headers).end(body);
    };
    const there = objects.get(key);
    if (key === '') {
      end(200, { 'content-type': 'application/xml' }, list(url.searchParams));
      return;
    }
    if (request.method === 'GET') {
      if (there === undefined) {
        refuse(404, 'NoSuchKey');
        return;
      }
      const headers = { etag: there.etag, 'last-modified': new Date(there.at).toUTCString() };
      end(200, { ...headers, 'content-type': there.type, 'cache-control': there.cacheControl }, there.bytes);
      return;
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      one.onChange(key);
      end(204, {});
      return;
    }
    if (one.takesConditions) {
      const { 'if-match': match, 'if-none-match': none } = request.headers;
      if (none === '*' && there !== undefined) {
        refuse(412, 'PreconditionFailed');
        return;
      }
      if (match !== undefined && there === undefined) {
        refuse(404, 'NoSuchKey');
        return;
      }
      if (match !== undefined && match !== there?.etag) {
        refuse(412, 'PreconditionFailed');
        return;
      }
    }
    const etag = `"${hash('md5', bytes, 'hex')}"`;
    const { 'content-type': type = '', 'cache-control': cacheControl = '' } = request.headers;
    objects.set(key, { bytes, etag, type, cacheControl, at: Date.now() + one.aheadMs });
    one.onChange(key);
    end(200, { etag });
  }

  function list(query: URLSearchParams): string {
    const [prefix, delimiter, after] = ['prefix', 'delimiter', 'continuation-token'].map(
      (name) => query.get(name) ?? '',
    );
    const all = [...objects.keys()].sort().filter((key) => key.startsWith(prefix!) && key > after!);
    const direct = delimiter === '' ? all : all.filter((key) => !key.slice(prefix!.length).includes(delimiter!));
    const page = direct.slice(0, one.pageSize);
    const isTruncated = page.length < direct.length;
    return (
      `<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>` +
      page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key><Size>1</Size></Contents>`).join('') +
      (isTruncated ? `<NextContinuationToken>${page.at(-1)!}</NextContinuationToken>` : '') +
      '</ListBucketResult>'
    );
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  (one as { url: string }).url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return one;
}

/** One that ends with the test, and the bucket in it as a snapshot is told of it. */
export async function bucketOf(
  options: Partial<SnapshotBucket> = {},
): Promise<{ readonly s3: S3Server; readonly out: SnapshotBucket }> {
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const place = { bucket: 'registers', prefix: 'open/data', region: 'eu-test-1', endpoint: s3.url };
  return { s3, out: { ...place, ...CREDENTIALS, retryMs: 1, ...options } };
}

/** Whether a request is signed with the only key there is (Signature Version 4), and has the bytes that were signed. */
function isSigned(request: IncomingMessage, url: URL, bytes: Buffer): boolean {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/s3\/aws4_request), SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, id, scope = '', names = '', signature = ''] = pattern.exec(request.headers.authorization ?? '') ?? [];
  const digest = request.headers['x-amz-content-sha256'];
  if (id !== CREDENTIALS.accessKeyId || digest !== hash('sha256', bytes, 'hex')) return false;
  const query = [...url.searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name])}\n`);
  const canonical = [request.method, url.pathname, query.join('&'), headers.join(''), names, digest].join('\n');
  const date = String(request.headers['x-amz-date']);
  const text = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      `AWS4${CREDENTIALS.secretAccessKey}`,
    );
  const expected = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
