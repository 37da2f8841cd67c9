// What `verify` finds, and what it says of a snapshot whose run did not come to its end.
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renumber } from '../../src/operate/registers/renumber.ts';
import { recordKey } from '../../src/register/identity.ts';
import { LOCK_FILE } from '../../src/snapshot/places/lock.ts';
import { manifestText, type RegisterManifest } from '../../src/snapshot/folder/manifest.ts';
import { type Finding, verifySnapshot } from '../../src/snapshot/verify.ts';
import { signAll } from '../wings/signs.ts';
import { at } from '../contracts/store-register.ts';
import { statementAt } from '../world.ts';
import { digests, folder, manifestOf, publish, storeOf } from './published.ts';

async function findings(out: string): Promise<readonly Omit<Finding, 'detail'>[]> {
  const { findings: found } = await verifySnapshot(out);
  return found.map(({ path, problem }) => ({ path, problem }));
}

/** Puts another manifest in place of a register's, digests and all: what no stranger does by accident. */
async function forge(out: string, change: (manifest: RegisterManifest) => object): Promise<void> {
  const manifest = await manifestOf(out);
  // The digest that stands at its end is another one then; an undefined member is none.
  const forged = { ...manifest, ...change(manifest), sha256: undefined };
  await writeFile(join(out, 'permits/manifest.json'), manifestText(forged));
}

describe('verifySnapshot', () => {
  it.each(['public', 'pro'] as const)('says that a snapshot is whole, and that its tier is %s', async (tier) => {
    const out = await folder();
    await publish(await storeOf(250), out, { tier });
    expect(await verifySnapshot(out)).toEqual({
      ...{ state: 'whole', tier, registers: 1, records: 250, findings: [] },
      files: 3 * 7 + 4 + (tier === 'public' ? 8 : 7),
    });
  });

  it('finds nothing in one whose records have other keys since its last run', async () => {
    const out = await folder();
    const store = await storeOf(250);
    await signAll(store, 'permits');
    await publish(store, out);
    const [from, to] = [statementAt(7, 250), statementAt(240, 250)].map(({ id }) => recordKey(id));
    const rows = [{ from: from!, to: to!, where: 'line 1' }, { from: to!, to: from!, where: 'line 2' }]; // prettier-ignore
    await renumber(store, 'permits', { name: 'map.csv', rows }, { who: null, now: () => Date.parse(at(251)) });
    await signAll(store, 'permits');
    await publish(store, out);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: 250, findings: [] });
    const again = await folder();
    await publish(store, again);
    const pages = async (of: string) => [...(await digests(of))].filter(([name]) => name.includes('/pages/')).sort();
    expect(await pages(out)).toEqual(await pages(again));
  });

  it('finds one changed byte in any file whatever', async () => {
    const out = await folder();
    await publish(await storeOf(150), out);
    for (const name of (await digests(out)).keys()) {
      // Empty, and of no state.
      if (name === LOCK_FILE) continue;
      const path = join(out, name);
      const bytes = await readFile(path);
      const at = Math.floor(bytes.length / 2);
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 1;
      await writeFile(path, changed);
      expect(await findings(out), name).toContainEqual({ path: name, problem: 'changed' });
      await writeFile(path, bytes);
    }
    expect(await findings(out)).toEqual([]);
  });

  it('finds a missing file, and one that nobody wrote', async () => {
    const out = await folder();
    const store = await storeOf(150);
    await publish(store, out);
    await rm(join(out, 'permits/pages/000001.csv'));
    await rename(join(out, 'opml.xml'), join(out, 'permits/opml.xml'));
    expect(await findings(out)).toEqual([
      { path: 'permits/opml.xml', problem: 'extra' },
      { path: 'opml.xml', problem: 'missing' },
      { path: 'permits/pages/000001.csv', problem: 'missing' },
    ]);
    // The next run writes what is missing, changed or not.
    await publish(store, out);
    expect(await findings(out)).toEqual([{ path: 'permits/opml.xml', problem: 'extra' }]);
  });

  it('finds a wrong count: of a file, and of the register', async () => {
    for (const ending of ['atom', 'rss', 'json', 'html', 'csv', 'xml']) {
      const out = await folder();
      await publish(await storeOf(150), out);
      const name = `pages/000001.${ending}`;
      await forge(out, ({ files }) => ({ files: { ...files, [name]: { ...files[name]!, records: 99 } } }));
      expect(await findings(out)).toContainEqual({ path: `permits/${name}`, problem: 'wrong_count' });
    }
    for (const total of [149, 151]) {
      const out = await folder();
      await publish(await storeOf(150), out);
      await forge(out, () => ({ total }));
      expect(await findings(out)).toEqual([
        { path: 'permits/manifest.json', problem: 'wrong_count' },
        { path: 'permits/manifest.json', problem: 'changed' },
      ]);
    }
  });

  it('refuses a folder that holds no snapshot', async () => {
    await expect(verifySnapshot(await folder())).rejects.toMatchObject({ code: 'damaged_snapshot' });
  });

  it('holds an interrupted snapshot to what its files may be: the old or the new, and nothing torn', async () => {
    const out = await folder();
    const store = await storeOf(150);
    await publish(store, out);
    const begun = { gazette_snapshot: 'begun', tier: 'public' };
    const after = { sha256: '0'.repeat(64), bytes: 1 };
    const journal = [begun, { path: 'index.csv', file: after }].map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(join(out, 'permits/manifest.next.json'), `${journal}{"path":"index.xm`);
    await writeFile(join(out, 'permits/index.csv.tmp'), 'half a fi');
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', tier: 'public', findings: [] });
    await appendFile(join(out, 'permits/index.csv'), 'torn');
    await appendFile(join(out, 'permits/index.xml'), 'torn');
    expect(await findings(out)).toEqual([
      { path: 'permits/index.csv', problem: 'changed' },
      { path: 'permits/index.xml', problem: 'changed' },
    ]);
  });
});
