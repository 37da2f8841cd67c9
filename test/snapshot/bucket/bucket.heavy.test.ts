// A snapshot in a bucket: the files of a folder, each sent once, the manifest last, one writer at a time.
import { describe, expect, it } from 'vitest';
import { SnapshotWriter } from '../../../src/snapshot/run.ts';
import { verifySnapshot } from '../../../src/snapshot/verify.ts';
import { stride } from '../../effort.ts';
import { letPass } from '../../until.ts';
import { permits } from '../../contracts/store-register.ts';
import { sign, signLogOfLogs } from '../../wings/proofs/signing.ts';
import { add, correct, digests, folder, publish, SITE, storeOf } from '../published.ts';
import { downloaded } from './downloaded.ts';
import { bucketOf, type Seen } from './s3-server.ts';
import { logsOf } from '../../wings/proofs/logs-of.ts';

const LOCK = '.gazette.lock';

/** The names that were written or removed, in the order of arrival, without the lock. */
const changes = (seen: readonly Seen[], prefix = 'open/data/'): string[] =>
  seen
    .filter(({ method, key }) => method !== 'GET' && !key.endsWith(LOCK))
    .map(({ method, key }) => (method === 'PUT' ? '' : '-') + key.slice(prefix.length));

describe('a snapshot in a bucket', () => {
  it('has the files of a folder, to the byte', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(250);
    await store.createRegister(permits('notices'));
    await sign(store, 'permits');
    await signLogOfLogs(store);
    s3.pageSize = 7;
    const options = { tier: 'pro', whole: true } as const;
    const result = await publish(store, await folder(), options);
    const path = await folder();
    await publish(store, path, options);
    expect(await publish(store, out, options)).toEqual(result);
    expect(s3.objects.get('open/data/permits/register.csv.gz')?.type).toBe('application/gzip');
    expect(s3.objects.get('open/data/permits/register.parquet')?.type).toBe('application/vnd.apache.parquet');
    const copy = await downloaded(s3.objects);
    const [inBucket, inFolder] = [await digests(copy), await digests(path)];
    for (const each of [inBucket, inFolder]) each.delete(LOCK);
    expect(inBucket).toEqual(inFolder);
    expect(await verifySnapshot(copy)).toMatchObject({ state: 'whole', registers: 2, records: 250, findings: [] });
  });

  it('answers with the media types of the service, and with how long caches keep a file', async () => {
    const { s3, out } = await bucketOf({ prefix: '' });
    const store = await storeOf(120);
    await sign(store, 'permits');
    await signLogOfLogs(store);
    const { name: log } = await logsOf(store).of('permits');
    const { name: ofLogs } = await logsOf(store).ofLogs();
    await publish(store, out);
    const types = {
      'index.html': 'text/html; charset=utf-8',
      'catalog.jsonld': 'application/ld+json',
      'opml.xml': 'text/x-opml; charset=utf-8',
      'sitemap.xml': 'application/xml; charset=utf-8',
      'style.css': 'text/css; charset=utf-8',
      'icon.svg': 'image/svg+xml',
      _headers: 'text/plain; charset=utf-8',
      'manifest.json': 'application/json',
      'permits/index.atom': 'application/atom+xml; charset=utf-8',
      'permits/index.rss': 'application/rss+xml; charset=utf-8',
      'permits/index.csv': 'text/csv; charset=utf-8; header=present',
      'permits/pages/000001.json': 'application/json',
      'permits/register.xsd': 'application/xml; charset=utf-8',
      'permits/datapackage.json': 'application/json',
      [`permits/log/${log}/checkpoint`]: 'text/plain; charset=utf-8',
      [`permits/log/${log}/tile/0/000.p/120`]: 'application/octet-stream',
      [`api/v1/log/${ofLogs}/checkpoint`]: 'text/plain; charset=utf-8',
      [`api/v1/log/${ofLogs}/tile/entries/000.p/1`]: 'application/octet-stream',
      '.well-known/gazette-log.json': 'application/json',
    };
    for (const [name, type] of Object.entries(types)) {
      expect([name, s3.objects.get(name)?.type]).toEqual([name, type]);
      expect(s3.objects.get(name)?.cacheControl).toBe('public, max-age=60');
    }
  });

  it('is not for shared caches where it is of the tier pro', async () => {
    const { s3, out } = await bucketOf();
    await publish(await storeOf(1), out, { tier: 'pro' });
    expect(s3.objects.get('open/data/permits/index.csv')?.cacheControl).toBe('private, max-age=60');
  });

  it('gets what is new alone, and nothing at all where nothing is', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(250);
    await sign(store, 'permits');
    await signLogOfLogs(store);
    await publish(store, out);
    s3.seen.length = 0;
    // A list of all names comes in several parts.
    s3.pageSize = 7;
    expect((await publish(store, out)).written).toBe(0);
    expect(changes(s3.seen)).toEqual([]);
    await correct(store, 3);
    s3.seen.length = 0;
    await publish(store, out);
    const written = changes(s3.seen);
    expect(written.filter((name) => name.includes('/pages/')).every((name) => name.includes('000001'))).toBe(true);
    expect(written.filter((name) => name.endsWith('.csv'))).toEqual(['permits/pages/000001.csv']);
    await sign(store, 'permits');
    await signLogOfLogs(store);
    s3.seen.length = 0;
    await publish(store, out);
    const { name: log } = await logsOf(store).ofLogs();
    const ofLogs = ['tile/0/000.p/2', 'tile/entries/000.p/2', 'checkpoint'].map((name) => `api/v1/log/${log}/${name}`);
    const root = changes(s3.seen).filter((name) => !name.startsWith('permits/') && !name.includes('.next.json'));
    expect([...root.slice(0, 2).sort(), ...root.slice(2)]).toEqual([
      ...ofLogs,
      '.well-known/gazette-log.json',
      'manifest.json',
    ]);
    expect(await verifySnapshot(await downloaded(s3.objects))).toMatchObject({ state: 'whole', findings: [] });
  });

  it('gets the journal first, the manifest of a register after its files, and that of the root last', async () => {
    const { s3, out } = await bucketOf();
    const written: string[] = [];
    // The answer of an archive page takes longest.
    s3.trouble = async ({ key }) =>
      key.includes('/pages/') ? letPass(30, 'what does not wait is faster').then(() => null) : null;
    s3.onChange = (key) => {
      const name = key.slice('open/data/'.length);
      if (name !== LOCK) written.push((s3.objects.has(key) ? '' : '-') + name);
    };
    await publish(await storeOf(250), out);
    expect(written[0]).toBe('manifest.next.json');
    const manifest = written.indexOf('permits/manifest.json');
    const last = written.findLastIndex((name) => name.startsWith('permits/') && !name.endsWith('.next.json'));
    expect(manifest).toBe(last);
    expect(written.slice(-2)).toEqual(['manifest.json', '-manifest.next.json']);
    // The newest page leads to archive pages, which are there before it.
    expect(written.findLastIndex((name) => name.includes('/pages/'))).toBeLessThan(
      written.indexOf('permits/index.atom'),
    );
    expect(
      s3.seen.filter(({ key }) => key.endsWith('/manifest.json')).map(({ headers }) => headers['if-none-match']),
    ).toEqual(['*', '*']);
  });

  it('loses what no register has any more, and a register that the store no longer has', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(120);
    await store.createRegister(permits('notices'));
    // A name that is also the beginning of the log of logs.
    await store.createRegister(permits('api'));
    await sign(store, 'permits');
    await signLogOfLogs(store);
    await publish(store, out);
    const ofLogs = (): string[] => [...s3.objects.keys()].filter((key) => key.includes('/api/v1/log/')).sort();
    const before = ofLogs();
    expect(before).toHaveLength(3);
    await store.removeRegister('notices');
    await store.removeRegister('api');
    await publish(store, out);
    expect([...s3.objects.keys()].filter((key) => /notices|\/api\/index/.test(key))).toEqual([]);
    expect(ofLogs()).toEqual(before);
    expect(await verifySnapshot(await downloaded(s3.objects))).toMatchObject({
      state: 'whole',
      registers: 1,
      findings: [],
    });
  });

  it('is known as interrupted wherever a run was broken off, and is completed by the next run', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(130);
    await store.createRegister(permits('notices'));
    await publish(store, out);
    await add(store, 131, 210);
    await correct(store, 3);
    await store.removeRegister('notices');
    const before = new Map(s3.objects);
    let states = new Set<string>();
    for (let left = 0, isDone = false; !isDone; left += stride(3)) {
      s3.objects.clear();
      for (const [key, object] of before) s3.objects.set(key, object);
      let writes = 0;
      // The server goes away after so many changes.
      s3.trouble = ({ method, key }) => (method !== 'GET' && !key.endsWith(LOCK) && writes++ >= left ? 403 : null);
      isDone = await publish(store, out).then(
        () => true,
        () => false,
      );
      s3.trouble = () => null;
      const { state, findings } = await verifySnapshot(await downloaded(s3.objects));
      expect([left, findings]).toEqual([left, []]);
      states = states.add(state);
      if (left % 7 === 0) {
        await publish(store, out);
        expect(await verifySnapshot(await downloaded(s3.objects))).toMatchObject({ state: 'whole', findings: [] });
      }
    }
    expect([...states].sort()).toEqual(['interrupted', 'whole']);
  });

  it('is refused where it cannot be: without the bucket, or with another key', async () => {
    const { out } = await bucketOf();
    const store = await storeOf(1);
    await expect(publish(store, { ...out, bucket: 'other' })).rejects.toMatchObject({
      code: 'output_failed',
      message: 's3://other/open/data/.gazette.lock cannot be written: the server answered 404 NoSuchBucket',
    });
    const refused = await publish(store, { ...out, secretAccessKey: 'hunter2' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining('403 SignatureDoesNotMatch') as string,
    });
    expect(JSON.stringify(refused) + String(refused)).not.toMatch(/hunter2|SIGNED/);
  });

  it('writes while it is watched, and unlocks when it is closed', async () => {
    const { s3, out } = await bucketOf();
    const store = await storeOf(3);
    const writer = await SnapshotWriter.open({ store, out, baseUrl: SITE });
    await writer.write();
    await add(store, 4, 5);
    expect((await writer.write()).registers).toMatchObject([{ records: 5 }]);
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'snapshot_busy' });
    await writer.close();
    await publish(store, out);
    expect(JSON.parse(s3.objects.get(`open/data/${LOCK}`)!.bytes.toString())).toMatchObject({ holder: null });
  });
});
