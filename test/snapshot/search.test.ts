// The search of a snapshot: its index holds what the folder's tier shows and nothing else, is made again only where something
// changed, and changes nothing of a folder without it.
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SEARCH_FOLDER } from '../../src/archive/layout.ts';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { SnapshotFolder } from '../../src/snapshot/folder/writer.ts';
import { manifestHead, type RegisterManifestHead } from '../../src/snapshot/folder/manifest.ts';
import { POLICY, SEARCH_POLICY } from '../../src/snapshot/pages/policies.ts';
import { siteFiles } from '../../src/snapshot/pages/site-files.ts';
import { FolderPlace } from '../../src/snapshot/places/folder-place.ts';
import { SearchEngine } from '../../src/snapshot/search/pagefind.ts';
import { writeSearch, type WrittenSearch } from '../../src/snapshot/search/register-search.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { WHOLE_TYPES } from '../../src/snapshot/whole.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { changedFiles, correct, digests, folder, manifestOf, publish, SITE, storeOf } from './published.ts';
import { statementAt } from '../world.ts';
import { indexFilesWith } from './searched.ts';

const search = true;

/** What only paying readers see in the records of `storeOf()`, however the index cuts the word. */
const HIDDEN = /confiden/i;

/** Adds a second register, `others`. */
async function addOthers(store: ServiceStore): Promise<void> {
  await store.createRegister({ ...permits('others'), uuid: null });
  await store.apply('others', [say('1', {}, 'others')], { recordedAt: at(1) });
}

describe('the index of a public folder', () => {
  it('has the words of previews and of the latest records, and in no file a word that neither shows', async () => {
    const out = await folder();
    const store = await storeOf(250);
    await publish(store, out, { search });
    expect(await indexFilesWith(out, /permit/)).not.toEqual([]);
    // The latest three records in full.
    expect(await indexFilesWith(out, /open content 250/)).not.toEqual([]);
    expect(await indexFilesWith(out, HIDDEN)).toEqual([]);
    // An earlier run wrote it all, for another tier: the test can see the word.
    const whole = await folder();
    await publish(store, whole, { search, tier: 'pro' });
    expect(await indexFilesWith(whole, HIDDEN)).not.toEqual([]);
    expect((await verifySnapshot(out)).state).toBe('whole');
  });

  it('loses a record’s words with the run after its redaction, and keeps those of others', async () => {
    const out = await folder();
    const store = await storeOf(5);
    await store.apply('permits', [say('odd', { title: 'Zwiebelfisch', document_type: 'rarity' })], {
      recordedAt: at(6),
    });
    await publish(store, out, { search, tier: 'pro' });
    expect(await indexFilesWith(out, /zwiebelfi/i)).not.toEqual([]);
    expect(await indexFilesWith(out, /rarity/)).not.toEqual([]);
    await store.redact('permits:odd', { recordedAt: at(7) });
    await publish(store, out, { search, tier: 'pro' });
    expect(await indexFilesWith(out, /zwiebelfi|rarity/i)).toEqual([]);
    expect(await indexFilesWith(out, /Permit number 5/)).not.toEqual([]);
    expect((await verifySnapshot(out)).state).toBe('whole');
  });
});

describe('a run', () => {
  it('makes the index of a register again only if what it shows has changed', async () => {
    const out = await folder();
    const store = await storeOf(120);
    await addOthers(store);
    await publish(store, out, { search });
    const before = await digests(out);
    expect((await publish(store, out, { search })).written).toBe(0);
    await correct(store, 7);
    await publish(store, out, { search });
    const changed = changedFiles(before, await digests(out));
    expect(changed.filter((name) => name.startsWith('permits/search/'))).not.toEqual([]);
    expect(changed.filter((name) => name.startsWith('others/'))).toEqual([]);
    // Previews show nothing of what changes here.
    const shown = (await manifestOf(out)).search;
    await store.apply('permits', [{ ...statementAt(8, 0), content: 'Other words' }], { recordedAt: at(200_000) });
    expect((await publish(store, out, { search })).written).toBeGreaterThan(0);
    expect((await manifestOf(out)).search).toEqual(shown);
  });

  it('puts a lost or interrupted index right', async () => {
    const out = await folder();
    const store = await storeOf(120);
    await publish(store, out, { search });
    const before = await digests(out);
    const aborter = new AbortController();
    await correct(store, 7);
    const stopped = publish(store, out, {
      search,
      signal: aborter.signal,
      onProgress() {
        aborter.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    await publish(store, out, { search });
    expect((await verifySnapshot(out)).state).toBe('whole');
    const fresh = await folder();
    await publish(store, fresh, { search });
    const made = await digests(out);
    expect(changedFiles(await digests(fresh), made)).toEqual([]);
    expect(made).not.toEqual(before);
    const lost = [...made].find(([name]) => name.startsWith('permits/search/'))![0];
    await rm(join(out, lost));
    await publish(store, out, { search });
    expect(changedFiles(made, await digests(out))).toEqual([]);
  });

  it('without a search leaves what a folder has that never had one, to the byte', async () => {
    const [plain, once] = [await folder(), await folder()];
    const store = await storeOf(230);
    await publish(store, plain);
    await publish(store, once, { search });
    const [before, searched] = [await digests(plain), await digests(once)];
    // Nothing else has changed: no closed page, and none of the other formats.
    const differing = changedFiles(before, searched).filter((name) => !name.startsWith('permits/search/'));
    expect(differing).toEqual([
      ...['_headers', 'index.html', 'manifest.json', 'permits/index.html', 'permits/manifest.json', 'search.js'],
    ]);
    await publish(store, once);
    expect(await digests(once)).toEqual(before);
    expect(await readdir(join(once, 'permits'))).not.toContain(SEARCH_FOLDER);
  });
});

describe('without Pagefind’s program', () => {
  const VARIABLE = 'PAGEFIND_BINARY_PATH';
  afterEach(() => vi.unstubAllEnvs());

  /** Has Pagefind run this instead of its program. */
  async function runs(script: string): Promise<void> {
    const path = join(await folder(), 'program');
    await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    vi.stubEnv(VARIABLE, path);
  }

  it.each(['exit 3', null])('a run writes nothing and says what to install (program: %s)', async (script) => {
    if (script === null) vi.stubEnv(VARIABLE, join(await folder(), 'missing'));
    else await runs(script);
    const out = join(await folder(), 'site');
    const failure = await publish(await storeOf(5), out, { search }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'missing_peer' });
    expect((failure as Error).message).toMatch(/does not run here.*npm install pagefind$/);
    expect(existsSync(out)).toBe(false);
  });

  it('a run whose index it dies over says so, leaves old and new files, and is completed by the next', async () => {
    const out = await folder();
    const store = await storeOf(250);
    await publish(store, out, { search });
    await correct(store, 7);
    const program = createRequire(import.meta.resolve('pagefind')).resolve(
      `@pagefind/${process.platform}-${process.arch}/bin/pagefind_extended`,
    );
    // The run tries it; when it is to make the index, it takes in what it is asked, and is killed before it answers.
    const tried = join(await folder(), 'tried');
    await runs(`mkdir ${tried} 2> /dev/null && exec ${program} --service\nhead -c 1 > /dev/null\nkill -KILL $$`);
    const failure = await publish(store, out, { search }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'internal_error' });
    expect((failure as Error).message).toMatch(/"permits" was not written: pagefind \d.*ended by itself \(SIGKILL\)$/);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', findings: [] });
    vi.unstubAllEnvs();
    await publish(store, out, { search });
    const fresh = await folder();
    await publish(store, fresh, { search });
    expect(changedFiles(await digests(fresh), await digests(out))).toEqual([]);
  });
});

describe('the policy of a folder with a search', () => {
  /** The policies that a host sends for a path: those of every rule that fits. */
  function policiesOf(headers: string, path: string): readonly string[] {
    // Cloudflare passes over the others.
    const rules = headers.split(/^(?=\/)/m).slice(0, 100);
    return rules.flatMap((rule) => {
      const [pattern, ...lines] = rule.trim().split('\n');
      const expression = pattern!.replace(/[.]/g, '\\.').replaceAll('*', '.*').replaceAll(/:\w+/g, '[^/]+');
      if (!new RegExp(`^${expression}$`).test(path)) return [];
      return lines.flatMap((line) => /Content-Security-Policy: (.*)/.exec(line)?.[1] ?? []);
    });
  }

  it.each([false, true])(
    'lets scripts run on pages with a search alone (some registers without: %s)',
    async (isMixed) => {
      const out = await folder();
      const store = await storeOf(230);
      await addOthers(store);
      if (isMixed) await publish(store, out, { feeds: ['others'] });
      await publish(store, out, { search, ...(isMixed ? { feeds: ['permits'] } : {}) });
      const headers = await readFile(join(out, '_headers'), 'utf8');
      for (const [name] of await digests(out)) {
        if (/^(?:_headers|\.gazette\.lock)$/.test(name)) continue;
        const policies = policiesOf(headers, `/${name}`);
        const text = name.endsWith('.html') ? await readFile(join(out, name), 'utf8') : '';
        const isSearched = text.includes('data-find=');
        expect([name, text.includes('Content-Security-Policy')]).toEqual([name, isSearched]);
        expect([name, text.includes('<script src=')]).toEqual([name, isSearched]);
        expect([name, policies]).not.toEqual([name, []]);
        // The browser obeys them all.
        const mayRun = policies.every((policy) => policy.includes("script-src 'self' 'wasm-unsafe-eval'"));
        if (/\.(?:html|atom|rss|xml|xsd|csv|xlsx)$/.test(name)) expect([name, mayRun]).toEqual([name, isSearched]);
        for (const policy of policies) expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
      }
      expect(policiesOf(headers, '/permits/')).toEqual(policiesOf(headers, '/permits/index.html'));
      expect(policiesOf(headers, '/')).toEqual(policiesOf(headers, '/index.html'));
    },
  );

  it('has few rules, however many registers there are, and one for what no rule names', () => {
    const registers = Array.from({ length: 160 }, (_, index) => ({
      ...{
        ...manifestHead('public', SITE),
        ...permits(`r${index}`),
        feed_id: `r${index}`,
        last_change: null,
        walk: ['index'],
      },
      // An empty register has nothing to search, and what an earlier run wrote has no search.
      ...(index % 10 === 0
        ? {}
        : { search: index % 10 === 1 ? [] : [{ name: 'all', language: 'en', digest: '', records: 1 }] }),
    })) as unknown as RegisterManifestHead[];
    const { _headers: headers } = siteFiles(SITE, registers, 'public', EXPORT_FORMATS, WHOLE_TYPES);
    for (const index of registers.keys()) {
      const isSearched = index % 10 > 1;
      const expected = isSearched ? [SEARCH_POLICY] : [SEARCH_POLICY, POLICY];
      for (const path of ['', 'index.html']) expect(policiesOf(headers!, `/r${index}/${path}`)).toEqual(expected);
      expect(policiesOf(headers!, `/r${index}/pages/000001.html`)).toContain(POLICY);
    }
    for (const path of ['/missing', '/r2', '/icon.svg']) expect(policiesOf(headers!, path)).toEqual([SEARCH_POLICY]);
  });
});

describe('a large register', () => {
  /** Brings the search of a folder up to date as if the register had more records than one index takes. */
  async function bring(store: ServiceStore, out: string): Promise<WrittenSearch & { readonly read: number }> {
    const stored = await store.source('permits');
    let read = 0;
    const source: RegisterSource = {
      definition: stored.definition,
      async page(query) {
        const page = await stored.page(query);
        read += page.records.length;
        return page;
      },
    };
    const entry = (await store.register('permits'))!;
    const engine = await SearchEngine.load();
    const target = await SnapshotFolder.open<RegisterManifestHead>(new FolderPlace(out), [SEARCH_FOLDER]);
    const register = {
      ...{
        definition: source.definition,
        tier: 'pro' as const,
        tiers: {},
        url: `${SITE}/permits`,
        latest: new Set<string>(),
      },
      ...{ endings: [], baseUrl: SITE, mediaTypes: {}, total: 1_000_000, months: [], wholes: [] },
      isProved: false,
    };
    await target.begin('pro');
    const written = await writeSearch(target, { engine, register, source, top: entry.top, signal: undefined });
    const head = { ...manifestHead('pro', SITE), search: written.indexes } as RegisterManifestHead;
    await target.finish(target.manifest(head, written.stems));
    await target.close();
    return { ...written, read };
  }

  it('has an index for each year of publication, the newest first, and only those that changed are made again', async () => {
    const out = await folder();
    const store = SqliteStore.open(':memory:');
    await store.createRegister(permits());
    const published = ['2026-01-01', '2024-12-31', null, '2024-02-03', '2025-06-01T23:00:00-05:00'];
    const batch = published.map((day, index) => say(String(index), { published_at: day, title: `Number ${index}` }));
    await store.apply('permits', batch, { recordedAt: at(1) });
    const { indexes, read } = await bring(store, out);
    expect(indexes.map(({ name, records }) => [name, records])).toEqual([
      ...[
        ['2026', 1],
        ['2025', 1],
        ['2024', 2],
        ['undated', 1],
      ],
    ]);
    // All, and those of each year once more; what has no date is looked for in all.
    expect(read).toBe(5 + 1 + 1 + 2 + 5);
    const before = await digests(out);
    await store.apply('permits', [{ ...batch[3]!, title: 'Another' }], { recordedAt: at(2) });
    expect((await bring(store, out)).read).toBe(5 + 2);
    const changed = changedFiles(before, await digests(out)).filter((name) => name !== 'manifest.json');
    expect(changed).not.toEqual([]);
    expect(changed.filter((name) => !name.startsWith('search/2024/'))).toEqual([]);
    // A year without records has no index.
    await store.apply('permits', [{ ...batch[0]!, published_at: '2024-05-05' }], { recordedAt: at(3) });
    await bring(store, out);
    expect((await readdir(join(out, 'search'))).sort()).toEqual(['2024', '2025', 'undated']);
  });
});
