// Requests to a bucket, over the REST interface of Amazon S3 that other servers have as well. Signed (Signature Version 4) by
// aws4fetch, an optional peer dependency. What fails for a moment is tried again, with bounded waits. No multipart uploads.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsV4Signer } from 'aws4fetch';
import { messageOf } from '../../client/trouble.ts';
import { GazetteError } from '../../errors.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { digestOf } from '../folder/manifest.ts';

/** Where a bucket is, and whose requests it takes. */
export interface SnapshotBucket {
  /** Its name. It must exist. */
  readonly bucket: string;
  /** What the names of all objects begin with, such as `registers/public`. Default: nothing. */
  readonly prefix?: string;
  /** Such as `eu-central-1`. */
  readonly region: string;
  /** The id of the access key. */
  readonly accessKeyId: string;
  /** The secret of the access key. It is in no message. */
  readonly secretAccessKey: string;
  /** For temporary credentials. */
  readonly sessionToken?: string;
  /** The server, such as `https://s3.example.org`. Default: Amazon's in this region. */
  readonly endpoint?: string;
  /**
   * After how many milliseconds without a sign of life a run counts as killed, so that the next one takes over its lock. The
   * same for all runs. Default: 60,000.
   */
  readonly lockMs?: number;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** How long the first of the waits before another try takes, in milliseconds; each next one takes twice as long. Default: 200. */
  readonly retryMs?: number;
}

/** An object that was read. */
export interface ReadObject {
  readonly bytes: Buffer;
  readonly etag: string;
  /** For how long it has been as it is, in milliseconds, by the clock of the server. */
  readonly ageMs: number;
}

/** What a write depends on: that the object does not exist, or is the one with this entity tag. */
export type Condition = 'absent' | { readonly etag: string };

/** How often a request is sent at most. With the waits between them, that takes six seconds where the server answers at once. */
const ATTEMPTS = 6;

/** How long an answer may take, in milliseconds; a body has more, at 100 kB a second. */
const PATIENCE_MS = 20_000;
const BYTES_PER_MS = 100;

/** The most that Amazon S3 takes in one request, in bytes. */
const MAX_BYTES = 5 * 1024 ** 3;

/** 409: another conditional write to the same object was being made. */
const PASSING: readonly number[] = [408, 409, 429, 500, 502, 503, 504];

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** How often it was asked. */
  readonly attempts: number;
}

interface Question {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Awaited before each attempt. */
  readonly before?: () => Promise<void>;
}

/** A bucket. Names are those of objects below the prefix. All methods throw `output_failed`, and `aborted` once the signal fires. */
export class BucketRequests {
  /** What messages call it. */
  readonly path: string;
  readonly #options: SnapshotBucket;
  readonly #Signer: typeof AwsV4Signer;
  readonly #signal: AbortSignal | undefined;
  readonly #base: string;
  readonly #prefix: string;

  private constructor(options: SnapshotBucket, Signer: typeof AwsV4Signer, signal: AbortSignal | undefined) {
    const { bucket, prefix = '', region, endpoint } = options;
    // A dot in the name would be one more level than Amazon's certificates cover.
    const isPath = endpoint !== undefined || bucket.includes('.');
    const server = endpoint?.replace(/\/+$/, '') ?? `https://${isPath ? '' : `${bucket}.`}s3.${region}.amazonaws.com`;
    this.path = `s3://${[bucket, ...(prefix === '' ? [] : [prefix])].join('/')}`;
    this.#options = options;
    this.#Signer = Signer;
    this.#signal = signal;
    this.#base = isPath ? `${server}/${bucket}` : server;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
  }

  /** @throws GazetteError `missing_peer` */
  static async open(options: SnapshotBucket, signal: AbortSignal | undefined): Promise<BucketRequests> {
    const { AwsV4Signer } = await import('aws4fetch').catch((cause: unknown) => {
      throw new GazetteError('missing_peer', 'a bucket needs the package aws4fetch: npm install aws4fetch', { cause });
    });
    return new BucketRequests(options, AwsV4Signer, signal);
  }

  /** The same bucket for requests that nothing cancels. */
  get lasting(): BucketRequests {
    return new BucketRequests(this.#options, this.#Signer, undefined);
  }

  /** An object; null if there is none. */
  async read(name: string): Promise<ReadObject | null> {
    const { status, headers, bytes } = await this.#ask(name, { method: 'GET' }, [200, 404]);
    if (status === 404) return null;
    const ageMs = Date.parse(headers.get('date') ?? '') - Date.parse(headers.get('last-modified') ?? '');
    return { bytes, etag: headers.get('etag') ?? '', ageMs };
  }

  /** Writes an object. @returns its entity tag; null if the condition does not hold. */
  async write(
    name: string,
    bytes: Uint8Array,
    headers: Readonly<Record<string, string>>,
    { condition, before }: { readonly condition?: Condition; readonly before?: () => Promise<void> } = {},
  ): Promise<string | null> {
    this.checkSize(name, bytes.length);
    const conditions: Readonly<Record<string, string>> =
      condition === undefined ? {} : condition === 'absent' ? { 'if-none-match': '*' } : { 'if-match': condition.etag };
    const question = { method: 'PUT', headers: { ...headers, ...conditions }, body: bytes } as const;
    const answer = await this.#ask(
      name,
      { ...question, ...(before === undefined ? {} : { before }) },
      // 404: what must have this entity tag is not there at all.
      condition === undefined ? [200] : [200, 404, 412],
    );
    if (answer.status === 200) return answer.headers.get('etag') ?? '';
    // An attempt whose answer was lost may have been carried out.
    const found = answer.attempts > 1 ? await this.read(name) : null;
    return found?.bytes.equals(bytes) === true ? found.etag : null;
  }

  /** @throws GazetteError `output_failed` for an object that is too long for one request. */
  checkSize(name: string, bytes: number): void {
    if (bytes > MAX_BYTES) throw this.failure(name, `it has ${bytes} bytes, and a request may have ${MAX_BYTES}`);
  }

  /** Removes an object, if there is one. */
  async remove(name: string, before: () => Promise<void>): Promise<void> {
    await this.#ask(name, { method: 'DELETE', before }, [200, 204, 404]);
  }

  /** The names of all objects that begin so, without that beginning; with `direct`, only those without a slash in the rest. */
  async list(beginning: string, isDirect: boolean): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    const prefix = this.#prefix + beginning;
    for (let token: string | null = ''; token !== null;) {
      const query: Readonly<Record<string, string>> = {
        ...{ 'list-type': '2', prefix, 'encoding-type': 'url' },
        ...(isDirect ? { delimiter: '/' } : {}),
        ...(token === '' ? {} : { 'continuation-token': token }),
      };
      const { bytes } = await this.#ask('', { method: 'GET', query }, [200]);
      const text = bytes.toString();
      const isEncoded = text.includes('<EncodingType>url</EncodingType>');
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        const name = isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : plainText(key);
        if (name.startsWith(prefix)) names.add(name.slice(prefix.length));
      }
      const next = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1];
      token = text.includes('<IsTruncated>true</IsTruncated>') && next !== undefined ? plainText(next) : null;
    }
    return names;
  }

  /** The error for an object that cannot be written or read. */
  failure(name: string, why: string, cause?: unknown): GazetteError {
    const output = name === '' ? this.path : `${this.path}/${name}`;
    return new GazetteError('output_failed', `${output} cannot be written: ${why}`, { cause, details: { output } });
  }

  async #ask(name: string, question: Question, expected: readonly number[]): Promise<Answer> {
    const { retryMs = 200 } = this.#options;
    for (let attempts = 1; ; attempts++) {
      throwIfAborted(this.#signal);
      await question.before?.();
      const answer = await this.#attempt(name, question).catch((error: unknown) => {
        throwIfAborted(this.#signal);
        return error as Error;
      });
      if (!(answer instanceof Error)) {
        // Without the bucket, nothing is known of the object.
        const isKnown = answer.status !== 404 || codeOf(answer) !== 'NoSuchBucket';
        if (expected.includes(answer.status) && isKnown) return { ...answer, attempts };
        if (!PASSING.includes(answer.status)) throw this.failure(name, reasonOf(answer));
      }
      if (attempts === ATTEMPTS) {
        const why = answer instanceof Error ? messageOf(answer) : reasonOf(answer);
        throw this.failure(name, `${why}, after ${ATTEMPTS} attempts`, answer instanceof Error ? answer : undefined);
      }
      // Between a half and the whole, so that those who were refused together do not come back together.
      const waitMs = retryMs * 2 ** (attempts - 1) * (0.5 + Math.random() / 2);
      await sleep(waitMs, undefined, this.#signal === undefined ? {} : { signal: this.#signal }).catch(() => undefined);
    }
  }

  async #attempt(
    name: string,
    { method, query = {}, headers = {}, body }: Question,
  ): Promise<Omit<Answer, 'attempts'>> {
    const { accessKeyId, secretAccessKey, sessionToken, region, fetch: send = fetch } = this.#options;
    const url = new URL(name === '' ? `${this.#base}/` : `${this.#base}/${this.#prefix}${name}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const signer = new this.#Signer({
      ...{ method, url: url.href, service: 's3', region, accessKeyId, secretAccessKey },
      ...(sessionToken === undefined ? {} : { sessionToken }),
      // The server compares it with the bytes that arrive.
      headers: { ...headers, 'x-amz-content-sha256': digestOf(body ?? '') },
    });
    const signed = await signer.sign();
    const timeout = AbortSignal.timeout(PATIENCE_MS + Math.ceil((body?.length ?? 0) / BYTES_PER_MS));
    const response = await send(signed.url, {
      ...{ method, headers: signed.headers, redirect: 'manual' },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      signal: this.#signal === undefined ? timeout : AbortSignal.any([timeout, this.#signal]),
    });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  }
}

/** What the server says of a refusal: its code alone, since the rest may repeat what was signed. */
function reasonOf(answer: Pick<Answer, 'status' | 'bytes'>): string {
  const code = codeOf(answer);
  return `the server answered ${answer.status}${code === undefined ? '' : ` ${code}`}`;
}

function codeOf({ bytes }: Pick<Answer, 'bytes'>): string | undefined {
  return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(bytes.toString('utf8', 0, 65_536))?.[1];
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of an element without children. */
function plainText(xml: string): string {
  return xml.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? all;
    return String.fromCodePoint(decimal === undefined ? parseInt(hex!, 16) : Number(decimal));
  });
}
