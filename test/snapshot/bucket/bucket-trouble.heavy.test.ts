// A bucket whose server refuses, cuts connections and loses answers; and several runs that want the same one.
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { GazetteError } from '../../../src/errors.ts';
import { BucketLock } from '../../../src/snapshot/bucket/bucket-lock.ts';
import { BucketRequests } from '../../../src/snapshot/bucket/requests.ts';
import { SnapshotWriter } from '../../../src/snapshot/run.ts';
import { letPass, until } from '../../until.ts';
import { add, folder, publish, SITE, storeOf } from '../published.ts';
import { bucketOf, type Seen, type Trouble } from './s3-server.ts';

const LOCK = 'open/data/.gazette.lock';

/** Each request fails so the first time, and is carried out when it is sent again. */
function onFirstTry(trouble: Trouble): (request: Seen) => Trouble {
  const before = new Set<string>();
  return ({ method, key, headers }) => {
    const name = `${method} ${key} ${String(headers['x-amz-content-sha256'])}`;
    if (before.has(name)) return null;
    before.add(name);
    return trouble;
  };
}

/** The bytes of every object but the lock. */
const bytesOf = (objects: ReadonlyMap<string, { readonly etag: string }>): readonly string[] =>
  [...objects].filter(([key]) => key !== LOCK).map(([key, { etag }]) => `${key} ${etag}`);

describe('a bucket', () => {
  it.each<Trouble>([503, 500, 429, 'cut', 'cut after'])(
    'gets the whole snapshot where every request fails once (%s)',
    async (trouble) => {
      const { s3, out } = await bucketOf();
      const calm = await bucketOf();
      const store = await storeOf(120);
      await publish(store, calm.out);
      s3.trouble = onFirstTry(trouble);
      await publish(store, out);
      expect(bytesOf(s3.objects).toSorted()).toEqual(bytesOf(calm.s3.objects).toSorted());
    },
  );

  it('is given up after some attempts, and its manifest stays that of the run before', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(3);
    await publish(store, out);
    const before = s3.objects.get('open/data/permits/manifest.json')!;
    await add(store, 4, 5);
    s3.trouble = ({ key }) => (key.endsWith('index.json') ? 503 : null);
    await expect(publish(store, out)).rejects.toMatchObject({
      code: 'output_failed',
      message:
        's3://registers/open/data/permits/index.json cannot be written: the server answered 503 SlowDown, after 6 attempts',
    });
    expect(s3.seen.filter(({ key }) => key.endsWith('index.json'))).toHaveLength(7);
    expect(s3.objects.get('open/data/permits/manifest.json')).toBe(before);
    s3.trouble = () => null;
    expect((await publish(store, out)).registers).toMatchObject([{ records: 5 }]);
  });

  it('that is not there is told of by the reason, without a secret', async () => {
    const { s3, out } = await bucketOf();
    await s3.close();
    const error = await publish(await storeOf(1), out).catch((error: unknown) => error as GazetteError);
    expect(error).toMatchObject({ code: 'output_failed', message: expect.stringContaining('ECONNREFUSED') as string });
    expect(JSON.stringify(error) + inspect(error)).not.toContain(out.secretAccessKey);
  });

  it('is left at once when the run is cancelled, and unlocked', async () => {
    const { s3, out } = await bucketOf({ retryMs: 60_000 });
    const stop = new AbortController();
    s3.trouble = ({ key }) => {
      if (!key.endsWith('index.json')) return null;
      stop.abort();
      return 503;
    };
    await expect(publish(await storeOf(3), out, { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect(JSON.parse(s3.objects.get(LOCK)!.bytes.toString())).toMatchObject({ holder: null });
  });

  it('leaves no file on this machine', async () => {
    const waiting = async (): Promise<string[]> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('gazette-bucket-'));
    vi.stubEnv('TMPDIR', await folder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const { s3, out } = await bucketOf();
    await publish(await storeOf(120), out);
    s3.trouble = ({ key }) => (key.endsWith('index.json') ? 403 : null);
    await expect(publish(await storeOf(3), out)).rejects.toMatchObject({ code: 'output_failed' });
    expect(await waiting()).toEqual([]);
  });

  it('refuses an object that is too long for one request, before it is read', async () => {
    const { out } = await bucketOf();
    const bucket = await BucketRequests.open(out, undefined);
    expect(() => {
      bucket.checkSize('permits/index.csv', 5 * 1024 ** 3 + 1);
    }).toThrow('it has 5368709121 bytes, and a request may have 5368709120');
  });

  it('of Amazon is asked by its own name, with a session token where there is one', async () => {
    const asked: Request[] = [];
    const { out } = await bucketOf();
    const amazon = Object.fromEntries(Object.entries(out).filter(([name]) => name !== 'endpoint')) as typeof out &
      object;
    const send = ((url: URL, init: RequestInit): Promise<Response> => {
      asked.push(new Request(url, init));
      return Promise.resolve(new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 }));
    }) as typeof fetch;
    for (const bucket of ['registers', 'registers.example.org']) {
      const refused = publish(await storeOf(1), { ...amazon, bucket, sessionToken: 'temporary', fetch: send });
      await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('403 AccessDenied') as string });
    }
    expect(asked.map(({ url }) => url)).toEqual([
      `https://registers.s3.eu-test-1.amazonaws.com/${LOCK}`,
      `https://s3.eu-test-1.amazonaws.com/registers.example.org/${LOCK}`,
    ]);
    for (const { headers } of asked) {
      expect(headers.get('x-amz-security-token')).toBe('temporary');
      expect(headers.get('authorization')).toContain('SignedHeaders=cache-control;host;if-none-match;');
    }
  });
});

describe('the lock of a bucket', () => {
  it('refuses a second run, in other words than a folder but with the same code', async () => {
    const { out } = await bucketOf();
    const store = await storeOf(1);
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE });
    await expect(publish(store, out)).rejects.toMatchObject({
      code: 'snapshot_busy',
      message:
        's3://registers/open/data is being written by another run, or was by one that was killed less than 60 seconds ago',
      details: { path: 's3://registers/open/data' },
    });
    await publish(store, { ...out, prefix: 'elsewhere' });
    await writer.close();
  });

  it('is taken by one of many that come at once', async () => {
    const { out } = await bucketOf();
    const requests = await BucketRequests.open(out, undefined);
    for (let round = 0; round < 5; round++) {
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => BucketLock.take(requests)));
      const taken = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(taken).toHaveLength(1);
      await taken[0]!.release();
    }
  });

  it('of a killed run is taken over once it is old enough by the clock of the server, and not before', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(1);
    await publish(store, out);
    const { bytes } = s3.objects.get(LOCK)!;
    const left = { ...s3.objects.get(LOCK)!, bytes: Buffer.from(bytes.toString().replace('null', '"killed"')) };
    s3.objects.set(LOCK, { ...left, at: Date.now() });
    s3.aheadMs = 58_000;
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'snapshot_busy' });
    s3.aheadMs = 61_000;
    await publish(store, out);
  });

  it('is renewed while its run lives, so that nobody takes it over', async () => {
    const { s3, out } = await bucketOf({ lockMs: 3000 });
    const store = await storeOf(1);
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE });
    const first = s3.objects.get(LOCK)!.etag;
    await until('a renewal', () => s3.objects.get(LOCK)!.etag !== first);
    await writer.write();
    await writer.close();
  });

  it('that another run took over ends the one that was stopped for too long: it changes nothing more', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(3);
    await publish(store, out);
    await add(store, 4, 5);
    const stopped = await SnapshotWriter.open({ store, out: { ...out, lockMs: 300 }, baseUrl: SITE });
    // Another one has taken it over.
    const { bytes } = s3.objects.get(LOCK)!;
    const other = Buffer.from(bytes.toString().replace(/"holder":"[^"]*"/, '"holder":"another"'));
    s3.objects.set(LOCK, { ...s3.objects.get(LOCK)!, bytes: other, etag: '"another"' });
    await letPass(200, 'after half of its time a lock is renewed before anything is changed');
    const before = bytesOf(s3.objects);
    await expect(stopped.write()).rejects.toMatchObject({ code: 'snapshot_busy' });
    await stopped.close();
    expect(bytesOf(s3.objects)).toEqual(before);
    expect(s3.objects.get(LOCK)!.etag).toBe('"another"');
  });

  it('that was lost unseen leaves the manifest of the run that has it', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(3);
    await publish(store, out);
    await add(store, 4, 5);
    const key = 'open/data/permits/manifest.json';
    s3.onChange = (changed) => {
      // The other run ends just before this one.
      if (changed.endsWith('changes.atom')) s3.objects.set(key, { ...s3.objects.get(key)!, etag: '"another"' });
    };
    await expect(publish(store, out)).rejects.toMatchObject({
      code: 'snapshot_busy',
      message: 's3://registers/open/data/permits/manifest.json was written by another run meanwhile',
    });
    expect(s3.objects.get(key)!.etag).toBe('"another"');
  });

  it('needs a server that takes conditions: another one is refused before anything is written', async () => {
    const { s3, out } = await bucketOf();
    s3.takesConditions = false;
    await expect(publish(await storeOf(1), out)).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining('the server ignores If-None-Match or If-Match') as string,
    });
    expect([...s3.objects.keys()]).toEqual([LOCK]);
  });
});
