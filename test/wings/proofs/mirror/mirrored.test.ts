// Mirrors of a register whose log is signed: what they show was signed, whatever somebody does to the answers.
import { beforeAll, expect, it } from 'vitest';
import { mirrorRegister, type MirrorOptions } from '../../../../src/mirror/index.ts';
import { BATCH_SIZE } from '../../../../src/stores/contract/registers.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { closedAfter } from '../../../closed-after.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';
import { sampleRecord } from '../../../contracts/sample-register.ts';
import { addSamples, type World } from '../../../world.ts';
import { type Answered, type Answers, FEED, idOf, live, pathOf, type Watched, watchedService } from './tampered.ts';

let watched: Watched;
beforeAll(async () => {
  watched = await watchedService();
});

/** Mirrors what these answers say. */
function mirrored(
  store: SqliteStore,
  answers: Answers,
  how: Partial<MirrorOptions> = { prove: { vkey: watched.vkey } },
): ReturnType<typeof mirrorRegister> {
  return mirrorRegister(store, FEED, {
    ...{ once: true, attempts: 1, sleep: () => Promise.resolve() },
    fetch: async (url) => {
      const path = pathOf(url);
      const { status, body } = await answers(path);
      return new Response(new Uint8Array(body), { status });
    },
    ...how,
  });
}

/** Follows while what is asked by these paths gives something else until that is told: what was told. */
async function troublesOf(
  { store, service, vkey }: Pick<Watched, 'service' | 'vkey'> & { readonly store: SqliteStore },
  asked: RegExp,
  body: string,
): Promise<readonly string[]> {
  const stop = new AbortController();
  const troubles: string[] = [];
  const answers: Answers = async (path) =>
    troubles.length === 0 && asked.test(path) ? { status: 200, body: Buffer.from(body) } : live(service)(path);
  const following = mirrored(store, answers, {
    ...{ prove: { vkey }, once: false, signal: stop.signal },
    onTrouble: ({ code }) => {
      troubles.push(code);
    },
    onProgress: () => {
      stop.abort();
    },
  });
  await expect(following).rejects.toMatchObject({ code: 'aborted' });
  return troubles;
}

/** An empty store. */
function emptyStore(): SqliteStore {
  return closedAfter(SqliteStore.open(':memory:'));
}

/** The answers, with each page of changes changed. */
function tampered(change: (versions: Answered[]) => void): Answers {
  return async (path) => {
    const answer = await watched.answers(path);
    if (!path.startsWith('/changes')) return answer;
    const body = JSON.parse(String(answer.body)) as { versions: Answered[] };
    change(body.versions);
    return { ...answer, body: Buffer.from(JSON.stringify(body)) };
  };
}

it('has the log that its source signed, with the same root', async () => {
  const store = emptyStore();
  await mirrored(store, watched.answers);
  const { size } = await logsOf(store).of('permits');
  const { checkpoint } = await logsOf(watched.service.store).of('permits');
  expect((await store.mirrors.find('permits'))!.kept).toBe(checkpoint);
  expect(size).toBe(watched.versions.length);
  const parts = [0, 256].map((from) => logsOf(store).entries('permits', from, Math.min(256, size - from)));
  const entries = (await Promise.all(parts)).flat();
  expect(entries.map((entry) => Buffer.from(entry).toString())).toEqual(
    watched.versions.map(({ proof }) => proof.entry),
  );
});

it('is not begun by mistake without the key of a signed log', async () => {
  const store = emptyStore();
  await expect(mirrored(store, watched.answers, {})).rejects.toMatchObject({ code: 'usage' });
  expect(await store.register('permits')).toBeNull();
  await mirrored(store, watched.answers, { isUnproved: true });
  expect((await store.register('permits'))!.change).toBe(watched.versions.length);
  // What it holds is compared once it is to be proved.
  await mirrored(store, watched.answers);
});

it.each<readonly [string, (versions: Answered[]) => void]>([
  [
    'another title',
    (versions) => {
      for (const { statement } of versions) if (statement) statement.title = 'Forged';
    },
  ],
  [
    'another time',
    (versions) => {
      for (const version of versions) version.recorded_at = '2026-10-09T10:00:00Z';
    },
  ],
  ['two records in each other’s places', (versions) => versions.reverse()],
  ['a version left out', (versions) => versions.splice(2, 1)],
])('shows nothing of a source that says %s', async (_, change) => {
  const store = emptyStore();
  await expect(mirrored(store, tampered(change))).rejects.toThrow();
  expect((await store.register('permits'))?.change ?? 0).toBe(0);
});

it('erases nothing without a redaction that is signed, however much follows', async () => {
  const { service, vkey } = await watchedService();
  const store = emptyStore();
  await mirrored(store, live(service), { prove: { vkey } });
  const before = await store.record(idOf(9));
  const again = { ...toPublishedRecord(sampleRecord(9), true), title: 'Withheld' };
  await service.store.apply('permits', [again], { recordedAt: '2026-10-03T10:00:00Z' });
  await addSamples(service.store, 331, 331 + BATCH_SIZE, '2026-10-03T10:00:00Z');
  await sign(service.store, 'permits');
  const withholding: Answers = async (path) => {
    const answer = await live(service)(path);
    if (!path.startsWith('/changes')) return answer;
    const body = JSON.parse(String(answer.body)) as { versions: Answered[] };
    for (const version of body.versions)
      if (version.statement?.title === 'Withheld')
        Object.assign(version, { statement: null, proof: { ...version.proof, salt: null, record_salt: null } });
    return { ...answer, body: Buffer.from(JSON.stringify(body)) };
  };
  const refused = mirrored(store, withholding, { prove: { vkey } });
  await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('withheld') as string });
  expect(await store.record(idOf(9))).toEqual(before);
  await mirrored(store, live(service), { prove: { vkey } });
  expect((await store.record(idOf(9)))!.record).toMatchObject({ title: 'Withheld' });
});

it('refuses to go on from more than is signed', async () => {
  const { service, vkey, oldCheckpoint } = await watchedService();
  const store = emptyStore();
  await mirrored(store, live(service), { isUnproved: true });
  const old: Answers = async (path) =>
    path.endsWith('/checkpoint') ? { status: 200, body: Buffer.from(oldCheckpoint) } : live(service)(path);
  await expect(mirrored(store, old, { prove: { vkey } })).rejects.toMatchObject({ code: 'log_stale' });
});

it('follows on where a cache showed an old state', async () => {
  const { service, vkey, oldCheckpoint } = await watchedService();
  const store = emptyStore();
  await mirrored(store, live(service), { prove: { vkey } });
  expect(await troublesOf({ store, service, vkey }, /\/checkpoint$/, oldCheckpoint)).toEqual(['log_stale']);
});

it.each([
  ['the log’s checkpoint', /\/log\/.*\/checkpoint$/],
  ['the list of logs', /^\.\.\/log$/],
  ['a tile', /\/tile\/[01]\//],
  ['changes that are to be proved', /^\/changes\?.*limit=100/],
  ['the name of the log', /^\/changes\?since=0&limit=1$/],
])('follows on where a proxy answered a page of its own for %s', async (_, asked) => {
  const { service, vkey } = await watchedService();
  const store = emptyStore();
  await mirrored(store, live(service), { prove: { vkey } });
  const { change } = (await store.register('permits'))!;
  await addSamples(service.store, 331, 340);
  await sign(service.store, 'permits');
  const page = '<!doctype html>\n<title>Back soon</title>\n\n<p>We are at it.\n';
  expect(await troublesOf({ store, service, vkey }, asked, page)).toEqual(['request_failed']);
  expect((await store.register('permits'))!.change).toBe(change + 10);
});

it('says that its source was restored, and not that it proves something else', async () => {
  const { service, vkey } = await watchedService();
  const source = service.store as World['store'] & Pick<SqliteStore, 'beginNewLogs'>;
  const store = emptyStore();
  await mirrored(store, live(service), { prove: { vkey } });
  await source.beginNewLogs({ at: '2026-10-03T10:00:00Z' });
  await sign(service.store, 'permits');
  await expect(mirrored(store, live(service), { prove: { vkey } })).rejects.toMatchObject({ code: 'register_changed' });
});

it('says of the key of a log of logs that it is none of a register', async () => {
  const vkey = formatVerifierKey(
    signerOf('registers.example.org/api/v1/log/01234567-89ab-4cde-8f01-23456789abcd', 'log', Buffer.alloc(32, 7)),
  );
  await expect(mirrored(emptyStore(), watched.answers, { prove: { vkey } })).rejects.toMatchObject({
    message: 'vkey must be the key of a register’s log',
  });
});

it('refuses to go on from what was never signed', async () => {
  const store = emptyStore();
  const forged = tampered((versions) => {
    for (const version of versions)
      version.cause = version.cause === 'source_change' ? 'extraction_correction' : version.cause;
  });
  await mirrored(store, forged, { isUnproved: true });
  await expect(mirrored(store, watched.answers)).rejects.toMatchObject({ code: 'invalid_proof' });
});

it('takes in a redaction that nobody signs only once it is told to, and what is signed again afterwards', async () => {
  const { service, vkey, versions } = await watchedService();
  const [store, prove] = [emptyStore(), { vkey }];
  await mirrored(store, live(service), { prove });
  const [id, size] = [idOf(300), versions.length];
  await service.store.redact(id, { recordedAt: '2026-10-03T10:00:00Z' });
  expect(await mirrored(store, live(service), { prove })).toEqual({ change: size, of: size + 1 });
  expect(await store.record(id)).toMatchObject({ state: 'live' });
  expect(await mirrored(store, live(service), { isUnproved: true })).toEqual({ change: size + 1, of: size + 1 });
  expect(await store.record(id)).toMatchObject({ state: 'redacted', record: null });
  await expect(mirrored(store, live(service), { prove })).rejects.toMatchObject({ code: 'log_stale' });
  await sign(service.store, 'permits');
  expect(await mirrored(store, live(service), { prove })).toEqual({ change: size + 1, of: size + 1 });
});

it('shows a change once it is signed', async () => {
  const { service } = watched;
  const store = emptyStore();
  await addSamples(service.store, 331, 333, '2026-10-03T10:00:00Z');
  const size = watched.versions.length;
  expect(await mirrored(store, live(service))).toEqual({ change: size, of: size + 3 });
  expect(await store.mirrors.find('permits')).toMatchObject({ behind: 3 });
  await sign(service.store, 'permits');
  expect(await mirrored(store, live(service))).toEqual({ change: size + 3, of: size + 3 });
  expect(await store.mirrors.find('permits')).toMatchObject({ behind: 0 });
});
