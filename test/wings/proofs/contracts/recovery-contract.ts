// A store that is put back to an older state gets what it lacks from another one that has it, entry by entry.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createGazette } from '../../../../src/service/create-gazette.ts';
import { Accounts } from '../../../../src/operate/accounts.ts';
import { missingIn, recoverLog } from '../../../../src/wings/proofs/mirror/recover.ts';
import { readRoot } from '../../../../src/wings/proofs/stores/tree-reader.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import { tries } from '../../../effort.ts';
import { hex } from '../tlog/naive-tree.ts';
import { sign } from '../signing.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { type Act, endings } from '../../../contracts/register-acts.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { logsOf, recoveryOf } from '../logs-of.ts';

/** A store that can be copied and put back. */
export interface RestorableStore {
  readonly store: InspectedStore & ServiceStore;
  /** Another store, which has what this one has now, with the same logs. */
  readonly copy: () => Promise<InspectedStore & ServiceStore>;
  /** Runs statements on the copy that was made last. */
  readonly run: (sql: string) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

const KEYS = ['a', 'b', 'c', 'd', 'e'];
const key = fc.constantFrom(...KEYS);
const FIELDS = [{ name: 'area', label: 'Area', type: 'text', filterable: true }] as const;

const ACTS: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(fc.uniqueArray(key), fc.nat(3)).map(([keys, n]): Act => async (store, minute) => {
    const batch = keys.map((one) =>
      say(one, { title: `Title ${n}`, document_type: n === 0 ? null : `type ${n % 2}`, data: { area: `Zone ${n}` } }),
    );
    await store.apply('permits', batch, { recordedAt: at(minute) });
  }),
  ...endings(key),
);

const HISTORY = fc.array(ACTS, { minLength: 1, maxLength: 10 });

/** Everything that a service over a store shows to somebody who may read all. */
async function shown(store: InspectedStore & ServiceStore): Promise<string[]> {
  const accounts = new Accounts(store, { product: 'gazette' });
  if ((await store.accounts.account('reader')) === null) await accounts.add('reader', '2999-01-01T00:00:00Z');
  const { key: apiKey } = await accounts.createKey('reader');
  const gazette = createGazette({ store, baseUrl: 'https://registers.example.org', limits: null });
  const paths = [
    ...['feeds/permits/records?limit=100', 'feeds/permits/records.csv', 'feeds/permits/facets'],
    ...['feeds/permits/changes?limit=100&proof=1', 'feeds/permits/records?data.area=Zone+1'],
    ...['feeds/permits/records?document_type=type+1', 'feeds/permits/records?q=title'],
    ...KEYS.flatMap((one) => [`records/permits:${one}`, `records/permits:${one}/history`]),
  ];
  const answers: string[] = [];
  for (const path of paths) {
    const request = new Request(`https://registers.example.org/api/v1/${path}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const response = await gazette.fetch(request, { remoteAddress: '127.0.0.1' });
    const text = (await response.text()).replaceAll(/"(?:next_since|request_id)":"[^"]*"/g, '');
    answers.push(`${path} ${response.status} ${text}`);
  }
  await gazette.close();
  return answers;
}

/** The log as it is signed now. */
async function signedNow(store: InspectedStore): Promise<Parameters<typeof recoverLog>[2]> {
  const { uuid, size } = await logsOf(store).of('permits');
  const root = await readRoot(logsOf(store), 'permits', size);
  return { feedId: 'permits', signed: { uuid, size, root: root! } };
}

async function built(store: InspectedStore): Promise<void> {
  for (let left = true; left;)
    left = ((progress) => progress.done < progress.all)(await store.finding.build('permits'));
}

/** Registers the suite for one database. */
export function recoveryContract(open: () => Promise<RestorableStore>): void {
  /** A store of some acts, a copy of it, and more acts in the store alone. */
  async function diverged(
    before: readonly Act[],
    after: readonly Act[],
  ): Promise<RestorableStore & { readonly older: InspectedStore & ServiceStore }> {
    const on = await open();
    const { store } = on;
    await store.createRegister(permits('other'));
    await store.createRegister({ ...permits(), fields: FIELDS });
    let minute = 0;
    for (const act of before) await act(store, ++minute);
    await sign(store, 'permits');
    const older = await on.copy();
    for (const act of after) await act(store, ++minute);
    await sign(store, 'permits');
    return { ...on, older };
  }

  it('gets every change back as it was, after random histories', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, HISTORY, async (before, after) => {
        const { store, older, dispose } = await diverged(before, after);
        const { size } = await logsOf(older).of('permits');
        const now = await logsOf(store).of('permits');
        expect(await recoverLog(older, store, await signedNow(store))).toBe(now.size - size);
        const back = await logsOf(older).of('permits');
        expect(back).toMatchObject({ uuid: now.uuid, size: now.size, origin: now.origin });
        expect(hex([(await readRoot(logsOf(older), 'permits', back.size))!])).toEqual(
          hex([(await readRoot(logsOf(store), 'permits', now.size))!]),
        );
        await built(older);
        expect(await inspected(older)).toEqual([]);
        expect(await shown(older)).toEqual(await shown(store));
        // It is written on, and what it had of the log stays.
        await older.apply('permits', [say('later')], { recordedAt: at(100) });
        expect(hex([(await readRoot(logsOf(older), 'permits', now.size))!])).toEqual(
          hex([(await readRoot(logsOf(store), 'permits', now.size))!]),
        );
        expect(await inspected(older)).toEqual([]);
        await dispose();
      }),
      { numRuns: tries(3, 300) },
    );
  });

  const APPLY: Act = (store, minute) =>
    store.apply('permits', [say('a', { title: `At ${minute}` }), say(`n${minute}`)], { recordedAt: at(minute) });

  it('gets them back after it began new logs, under the name that was signed', async () => {
    const { store, older, dispose } = await diverged([APPLY], [APPLY, APPLY]);
    await older.beginNewLogs({ at: at(50) });
    await sign(older, 'permits');
    const signed = await signedNow(store);
    await recoverLog(older, store, signed);
    const { uuid, origin } = await logsOf(older).of('permits');
    expect([uuid, origin]).toEqual([signed.signed.uuid, (await logsOf(store).of('permits')).origin]);
    expect(await inspected(older)).toEqual([]);
    await APPLY(older, 60);
    expect(await inspected(older)).toEqual([]);
    await dispose();
  });

  it('gets its first changes back, in the log that was signed while it was empty', async () => {
    const { store, older, dispose } = await diverged([], [APPLY]);
    await older.beginNewLogs({ at: at(50) });
    const signed = await signedNow(store);
    await recoverLog(older, store, signed);
    expect((await logsOf(older).of('permits')).uuid).toBe(signed.signed.uuid);
    await APPLY(older, 60);
    expect(await inspected(older)).toEqual([]);
    await dispose();
  });

  it('gets a log that was signed before anything was written to it', async () => {
    const { store, older, dispose } = await diverged([APPLY], [APPLY]);
    await store.beginNewLogs({ at: at(40) });
    await sign(store, 'permits');
    const signed = await signedNow(store);
    await recoverLog(older, store, signed);
    await APPLY(older, 41);
    expect((await logsOf(older).of('permits')).uuid).toBe(signed.signed.uuid);
    expect(await inspected(older)).toEqual([]);
    await dispose();
  });

  it('gets what came back, and what was erased, and forgets that everywhere', async () => {
    const withdraw: Act = (store, minute) =>
      store.withdraw('permits', ['permits:a', 'permits:n1'], { recordedAt: at(minute) });
    const erase: Act = (store, minute) => store.redact('permits:n1', { recordedAt: at(minute) });
    const { store, older, dispose } = await diverged([APPLY, withdraw], [APPLY, erase]);
    await recoverLog(older, store, await signedNow(store));
    expect((await older.record('permits:a'))?.state).toBe('live');
    expect(await older.record('permits:n1')).toMatchObject({ state: 'redacted', record: null });
    expect(await older.purges.pending()).not.toBeNull();
    expect(await inspected(older)).toEqual([]);
    await dispose();
  });

  it('gets all of a register that it has not begun, under other numbers', async () => {
    const { store, dispose } = await diverged([APPLY], [APPLY]);
    await store.beginNewLogs({ at: at(40) });
    await APPLY(store, 41);
    await sign(store, 'permits');
    const other = await open();
    for (const id of ['first', 'second', 'permits']) await other.store.createRegister(permits(id));
    await recoverLog(other.store, store, await signedNow(store));
    await built(other.store);
    expect(await inspected(other.store)).toEqual([]);
    expect(await shown(other.store)).toEqual(await shown(store));
    await other.dispose();
    await dispose();
  });

  it('gets nothing from a store that went on under another log', async () => {
    const { store, older, dispose } = await diverged([APPLY], [APPLY]);
    const signed = await signedNow(store);
    await store.beginNewLogs({ at: at(40) });
    // As far as it was signed, it may.
    await APPLY(store, 41);
    await expect(recoverLog(older, store, signed)).rejects.toMatchObject({
      code: 'log_contradicted',
      message: expect.stringContaining('in another log') as string,
    });
    await dispose();
  });

  it('gets nothing from a store that lacks what was signed, or has something else', async () => {
    const { store, older, dispose } = await diverged([APPLY], [APPLY]);
    const signed = await signedNow(store);
    const before = await shown(older);
    const refused = async (from: InspectedStore, to: InspectedStore, message: string): Promise<void> => {
      const recovered = recoverLog(to, from, signed);
      await expect(recovered).rejects.toMatchObject({ message: expect.stringContaining(message) as string });
    };
    await refused(older, older, 'only');
    const root = Buffer.alloc(32, 1);
    await expect(recoverLog(older, store, { ...signed, signed: { ...signed.signed, root } })).rejects.toMatchObject({
      code: 'log_contradicted',
    });
    await store.createRegister(permits('more'));
    const missing = await missingIn(store, 'permits', (await logsOf(older).of('permits')).size);
    // Neither does the transaction itself.
    const tree = { ...signed.signed, root };
    await expect(recoveryOf(older).putBack('permits', missing, tree)).rejects.toMatchObject({
      code: 'log_contradicted',
    });
    await expect(
      recoveryOf(older).putBack(
        'permits',
        { ...missing, since: missing.since - 1 },
        { ...tree, root: signed.signed.root },
      ),
    ).rejects.toMatchObject({ code: 'store_busy' });
    expect(await shown(older)).toEqual(before);
    await older.apply('permits', [say('own')], { recordedAt: at(70) });
    await refused(store, older, 'this store has changes of permits that the other one has not');
    expect(await inspected(older)).toEqual([]);
    await dispose();
  });

  it.each([
    "UPDATE records SET title = 'Another' WHERE id = 'permits:a'",
    'UPDATE versions SET salt = (SELECT commitment FROM versions LIMIT 1) WHERE version = 2',
    'DELETE FROM versions WHERE version = 2',
    "UPDATE versions SET recorded_at = '2026-01-01T00:00:00Z' WHERE version = 2",
  ])('gets nothing from a store that was tampered with: %s', async (sql) => {
    const { store, older, copy, run, dispose } = await diverged([APPLY], [APPLY]);
    const signed = await signedNow(store);
    const tampered = await copy();
    await run(sql);
    const before = await shown(older);
    await expect(recoverLog(older, tampered, signed)).rejects.toThrow();
    expect(await shown(older)).toEqual(before);
    await dispose();
  });
}
