// The logs of a store's registers: after every write the tree is that of a naive model over the entries, and no entry ever
// changes, whatever is withdrawn, restored or erased later.
import { createHmac, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readRoot } from '../../../../src/wings/proofs/stores/tree-reader.ts';
import { leafHash } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatNote, parseNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { tileWidth } from '../../../../src/wings/proofs/tlog/tiles.ts';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import { tries } from '../../../effort.ts';
import { hex, naiveRoot } from '../tlog/naive-tree.ts';
import { sign, signedHead, signLogOfLogs } from '../signing.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { ACTS } from '../../../contracts/register-acts.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { logsOf } from '../logs-of.ts';

/** An opened store, and a way to its rows. */
export interface LogRows {
  readonly store: InspectedStore;
  /** Runs statements, which name tables without a schema. */
  readonly run: (sql: string) => Promise<void>;
  readonly dispose: () => Promise<void>;
}

/** What an entry says. */
export interface Entry {
  readonly change: number;
  readonly record: string;
  readonly [member: string]: unknown;
}

/** The hashes of the first tile, in SQL. */
const FULL = '(SELECT t.hashes FROM log_tiles t WHERE t.level = 0 AND t.place = 0)';

/** Records of more than a tile. */
const RECORDS = [...Array(300).keys()].map((n) => say(`k${n}`));

/** Every entry of a register's log. */
export async function entriesOf(store: InspectedStore, feedId = 'permits'): Promise<string[]> {
  const entries: string[] = [];
  for (;;) {
    const read = await logsOf(store).entries(feedId, entries.length, 256);
    if (read.length === 0) return entries;
    entries.push(...read.map((entry) => Buffer.from(entry).toString()));
  }
}

/** The tree is that of a naive model over the entries. */
export async function expectTree(store: InspectedStore, entries: readonly string[]): Promise<void> {
  const { size } = await logsOf(store).of('permits');
  expect(size).toBe(entries.length);
  const root = await readRoot(logsOf(store), 'permits', size);
  expect(hex([root!])).toEqual(hex([naiveRoot(entries.map((entry) => leafHash(Buffer.from(entry))))]));
}

const recordOf = (entry: string): string => (JSON.parse(entry) as Entry).record;

/** Registers the suite for one database. */
export function logContract(open: () => Promise<LogRows>): void {
  let on: LogRows;
  beforeEach(async () => {
    on = await open();
    await on.store.createRegister(permits());
  });
  afterEach(() => on.dispose());

  it('has every version as an entry that says where it stands, and no id', async () => {
    const { store } = on;
    await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
    await store.apply('permits', [say('b', { title: 'New' })], { recordedAt: at(1) });
    await store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
    const entries = await entriesOf(store);
    const bytes32 = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) as string;
    const common = { v: 1, record: bytes32, commitment: bytes32 };
    expect(entries.map((entry) => JSON.parse(entry) as Entry)).toEqual([
      { ...common, change: 1, position: 1, version: 1, cause: 'first_observed', recorded_at: at(0) },
      { ...common, change: 2, position: 2, version: 1, cause: 'first_observed', recorded_at: at(0) },
      { ...common, change: 3, position: 2, version: 2, cause: 'source_change', recorded_at: at(1) },
      { ...common, change: 4, position: 1, version: 2, cause: 'withdrawn', recorded_at: at(2) },
    ]);
    const members = ['cause', 'change', 'commitment', 'position', 'record', 'recorded_at', 'v', 'version'];
    for (const entry of entries) expect(Object.keys(JSON.parse(entry) as Entry)).toEqual(members);
    const records = entries.map(recordOf);
    expect([records[0] === records[3], records[1] === records[2], records[0] === records[1]]).toEqual([
      true,
      true,
      false,
    ]);
    expect(entries.join()).not.toContain('permits');
    await expectTree(store, entries);
  });

  it('changes no entry after random histories, with redactions, and grows with each', async () => {
    const { store } = on;
    let minute = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(ACTS, { minLength: 1, maxLength: 12 }), async (history) => {
        await store.removeRegister('permits');
        await store.createRegister(permits());
        let before: string[] = [];
        for (const act of history) {
          await act(store, ++minute);
          const entries = await entriesOf(store);
          expect(entries.slice(0, before.length)).toEqual(before);
          before = entries;
        }
        await expectTree(store, before);
        expect(await inspected(store)).toEqual([]);
      }),
      { numRuns: tries(3, 200) },
    );
  });

  it('proves whose entry it is as long as its salts are there, and never again', async () => {
    const { store } = on;
    const logs = logsOf(store);
    await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
    await store.apply('permits', [say('a', { title: 'New' })], { recordedAt: at(1) });
    const proved = (await logs.proved('permits:a', null))!;
    expect(proved).toMatchObject({ change: 3, version: 2, log: (await logs.of('permits')).uuid });
    const entry = JSON.parse(Buffer.from(proved.entry).toString()) as Entry;
    const salt = Buffer.from(proved.recordSalt!);
    expect(createHmac('sha256', salt).update('permits:a').digest('base64')).toBe(entry.record);
    expect(proved.salt).toHaveLength(32);
    expect(Buffer.from(proved.salt!).equals(salt)).toBe(false);

    await store.redact('permits:a', { recordedAt: at(2) });
    const entries = await entriesOf(store);
    for (const version of [1, 2]) {
      const erased = (await logs.proved('permits:a', version))!;
      expect([erased.salt, erased.recordSalt]).toEqual([null, null]);
      expect(recordOf(entries[erased.change - 1]!)).toBe(entry.record);
    }
    expect((await logs.proved('permits:a', 3))!.recordSalt).toBeNull();
    expect(recordOf(entries[3]!)).toBe(entry.record);

    await store.lift('permits:a');
    await store.apply('permits', [say('a')], { recordedAt: at(3) });
    const again = (await logs.proved('permits:a', null))!;
    const record = createHmac('sha256', again.recordSalt!).update('permits:a').digest('base64');
    expect(recordOf(Buffer.from(again.entry).toString())).toBe(record);
    expect(record).not.toBe(entry.record);

    expect(await logs.proved('permits:a', 9)).toBeNull();
    expect(await logs.proved('permits:z', null)).toBeNull();
    expect(await logs.proved('other:z', null)).toBeNull();
  });

  it('proves the newest versions of the live records at some positions', async () => {
    const { store } = on;
    const logs = logsOf(store);
    await store.apply(
      'permits',
      ['a', 'b', 'c', 'd', 'e'].map((key) => say(key)),
      { recordedAt: at(0) },
    );
    await store.apply('permits', [say('d', { title: 'New' }), say('b', { title: 'New' })], { recordedAt: at(1) });
    await store.withdraw('permits', ['permits:c'], { recordedAt: at(2) });
    const proved = await logs.provedRecords('permits', 2, 4);
    expect(proved.map(({ change, version }) => [change, version])).toEqual([
      [6, 2],
      [7, 2],
    ]);
    for (const version of proved)
      expect(version).toEqual((await logs.provedChanges('permits', version.change - 1, 1))[0]);
    expect((await logs.provedRecords('permits', 1, 256)).map(({ change }) => change)).toEqual([1, 5, 6, 7]);
    await expect(logs.provedRecords('other', 1, 9)).rejects.toMatchObject({ code: 'unknown_feed' });
  });

  it('keeps every entry of a record that is erased several times', async () => {
    const { store } = on;
    let before: string[] = [];
    const expectKept = async (): Promise<void> => {
      const entries = await entriesOf(store);
      expect(entries.slice(0, before.length)).toEqual(before);
      before = entries;
    };
    for (const minute of [0, 4, 8]) {
      await store.apply('permits', [say('a'), say('b', { title: `Title ${minute}` })], { recordedAt: at(minute) });
      await expectKept();
      for (const later of [1, 2]) {
        await store.redact('permits:a', { recordedAt: at(minute + later) });
        await expectKept();
        await store.lift('permits:a');
      }
    }
    await expectTree(store, before);
    expect(await inspected(store)).toEqual([]);
  });

  it('has the tiles that a tree of its size has, and partial ones of every width before', async () => {
    const { store } = on;
    for (const count of [1, 254, 1, 1, 300]) {
      const { size } = await logsOf(store).of('permits');
      const batch = Array.from({ length: count }, (_, n) => say(`k${size + n}`));
      await store.apply('permits', batch, { recordedAt: at(0) });
      await expectTree(store, await entriesOf(store));
    }
    const { size } = await logsOf(store).of('permits');
    const of = (level: number, index: number, width: number) =>
      logsOf(store).tiles('permits', [{ level, index, width }]);
    expect(size).toBe(557);
    expect((await of(0, 2, tileWidth(size, 0, 2)))[0]).toHaveLength(45 * 32);
    expect((await of(0, 2, 7))[0]).toHaveLength(7 * 32);
    expect((await of(1, 0, 2))[0]).toHaveLength(2 * 32);
    for (const [level, index, width] of [
      [0, 2, 46],
      [0, 3, 1],
      [1, 0, 3],
      [2, 0, 1],
    ] as const)
      expect(await of(level, index, width)).toEqual([null]);
    await expect(logsOf(store).tiles('none', [])).rejects.toMatchObject({ code: 'unknown_feed' });
  });

  it('keeps a checkpoint once, in the place of the one that was read, and for the log that it is of', async () => {
    const { store } = on;
    const logs = logsOf(store);
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    expect((await logs.unsigned()).map(({ feedId }) => feedId)).toEqual(['permits']);
    await sign(store, 'permits');
    expect(await logs.unsigned()).toEqual([]);
    const signed = await logs.of('permits');
    const again = { ...signed, origin: signed.origin!, vkey: signed.vkey!, checkpoint: signed.checkpoint! };
    expect(await logs.publish('permits', { ...again, before: null })).toBe(false);
    expect(await logs.publish('permits', { ...again, before: again.checkpoint, origin: 'other' })).toBe(false);
    const larger = again.checkpoint.replace('\n1\n', '\n2\n');
    expect(await logs.publish('permits', { ...again, before: again.checkpoint, checkpoint: larger })).toBe(false);
    expect(await logs.publish('permits', { ...again, before: again.checkpoint })).toBe(true);
    expect(await inspected(store)).toEqual([]);

    await store.createRegister(permits('other'));
    const other = await logs.of('other');
    await store.beginNewLogs({ at: at(1), feedId: 'permits' });
    for (const checkpoint of [again.checkpoint, null])
      expect(await logs.publish('permits', { ...again, before: checkpoint })).toBe(false);
    expect(await logs.of('other')).toEqual(other);
    expect(await logs.of('permits')).toMatchObject({ origin: null, vkey: null, checkpoint: null, size: 1 });
    expect(await inspected(store)).toEqual([]);

    await store.removeRegister('permits');
    await store.createRegister(permits());
    expect(await logs.of('permits')).toMatchObject({ size: 0, checkpoint: null });
    expect((await logs.of('permits')).uuid).not.toBe(signed.uuid);
  });

  it.each([
    ['versions', `UPDATE versions SET recorded_at = '${at(1)}' WHERE version = 1`],
    ['log_tiles', `UPDATE versions SET recorded_at = '${at(1)}' WHERE version = 1`],
    ['log_tiles', 'UPDATE log_tiles SET hashes = substr(hashes, 1, 32) WHERE level = 0 AND place = 1'],
    ['log_tiles', `UPDATE log_tiles SET hashes = substr(${FULL}, 33, 32) WHERE level = 1`],
    ['log_tiles', `UPDATE log_tiles SET hashes = substr(${FULL}, 1, 44 * 32) WHERE level = 0 AND place = 1`],
    ['log_tiles', 'DELETE FROM log_tiles WHERE level = 1'],
    ['log_tiles', 'INSERT INTO log_tiles SELECT register, 1, 9, hashes FROM log_tiles WHERE level = 1'],
    ['log_trees', 'UPDATE log_trees SET size = size - 1'],
    ['log_trees', 'UPDATE registers SET change = change + 1'],
    ['log_trees', 'UPDATE registers SET change = change - 1'],
    ['signed_logs', 'UPDATE signed_logs SET signed_size = 299 WHERE register > 0'],
    ['registers', `UPDATE logs SET uuid = '${randomUUID()}' WHERE register > 0`],
    [
      'signed_logs',
      "UPDATE signed_logs SET checkpoint = replace(checkpoint, '300', '299'), signed_size = 299 WHERE register > 0",
    ],
  ])('finds in %s what is wrong after %s', async (table, sql) => {
    const { store } = on;
    await store.apply('permits', RECORDS, { recordedAt: at(0) });
    await sign(store, 'permits');
    await on.run(sql);
    expect((await inspected(store)).map((finding) => finding.table)).toContain(table);
  });

  it('has a log of logs with every checkpoint that was signed, each once, and begins it again for a restored store', async () => {
    const { store } = on;
    const logs = logsOf(store);
    await store.createRegister(permits('other'));
    await store.createRegister(permits('unsigned'));
    expect(await logs.gather()).toBe(0);
    const expected: string[] = [];
    const signed = async (feedId: string): Promise<void> => {
      await sign(store, feedId);
      expected.push(parseNote((await logs.of(feedId)).checkpoint!).text);
      const { listed, checkpoint } = await logs.of(feedId);
      expect(listed?.checkpoint).not.toBe(checkpoint);
      expect(await logs.gather()).toBe(1);
      expect((await logs.of(feedId)).listed).toEqual({ place: expected.length - 1, checkpoint });
    };
    await signed('other');
    for (let n = 0; n < 300; n++) {
      await store.apply('permits', [say(`k${n}`)], { recordedAt: at(n) });
      await signed('permits');
    }
    expect(await logs.gather()).toBe(0);
    const read = [...(await logs.entries(null, 0, 256)), ...(await logs.entries(null, 256, 256))];
    expect(read.map((entry) => Buffer.from(entry).toString())).toEqual(expected);
    const before = await logs.ofLogs();
    expect(before).toMatchObject({ feedId: null, size: 301, origin: null, checkpoint: null });
    const root = await readRoot(logs, null, 301);
    expect(hex([root!])).toEqual(hex([naiveRoot(read.map(leafHash))]));
    await signLogOfLogs(store);
    const after = await logs.ofLogs();
    expect(parseNote(after.checkpoint!).text.split('\n').slice(0, 2)).toEqual([after.origin, '301']);
    const { origin, vkey, checkpoint, uuid } = after;
    const again = { uuid, origin: origin!, vkey: vkey!, checkpoint: checkpoint!, before: null };
    expect(await logs.publish(null, again)).toBe(false);
    expect(await logs.publish(null, { ...again, before: checkpoint, uuid: randomUUID() })).toBe(false);
    expect(await inspected(store)).toEqual([]);

    // A witness signs the same size too: nothing to gather.
    const one = await logs.of('permits');
    const same = { ...one, origin: one.origin!, vkey: one.vkey!, checkpoint: one.checkpoint!, before: one.checkpoint };
    expect(await logs.publish('permits', same)).toBe(true);
    expect(await logs.gather()).toBe(0);
    await store.removeRegister('other');
    expect([await inspected(store), (await logs.ofLogs()).size]).toEqual([[], 301]);

    await logsOf(store).beginOfLogs();
    expect((await logs.of('permits')).uuid).toBe(one.uuid);
    const empty = await logs.ofLogs();
    expect(empty).toMatchObject({ size: 0, origin: null, checkpoint: null, vkey: null });
    expect(empty.uuid).not.toBe(uuid);
    expect([await logs.gather(), await logs.gather()]).toEqual([1, 0]);
    expect(await inspected(store)).toEqual([]);
    await store.beginNewLogs({ at: at(401) });
    expect((await logs.ofLogs()).size).toBe(0);
    expect(await inspected(store)).toEqual([]);
  });

  it('gathers those of some registers, whose checkpoints in the log of logs are kept', async () => {
    const logs = logsOf(on.store);
    for (const id of ['a', 'b']) await on.store.createRegister(permits(id));
    for (const id of ['a', 'b', 'permits']) await sign(on.store, id);
    expect([await logs.gather([]), await logs.gather(['b', 'none']), await logs.gather(['b'])]).toEqual([0, 1, 0]);
    const { checkpoint } = await logs.of('b');
    await on.store.apply('b', [say('k', {}, 'b')], { recordedAt: at(0) });
    await sign(on.store, 'b');
    expect((await logs.of('b')).listed).toEqual({ place: 0, checkpoint });
    expect((await logs.of('a')).listed).toBeNull();
    expect(await logs.gather()).toBe(3);
    expect((await logs.of('b')).listed?.checkpoint).toBe((await logs.of('b')).checkpoint);

    // Signed by two keys, or by another one: the same size.
    const { uuid, origin, vkey, checkpoint: before } = await logs.of('b');
    const { signatures, text } = parseNote(before!);
    const resigned = formatNote({ text, signatures: [...signatures, ...signatures] });
    expect(await logs.publish('b', { uuid, origin: origin!, vkey: vkey!, checkpoint: resigned, before })).toBe(true);
    expect((await logs.of('b')).listed?.checkpoint).toBe(resigned);
  });

  it('gathers each checkpoint once when several do at once', async () => {
    const { store } = on;
    const ids = Array.from({ length: 40 }, (_, n) => `r${n}`);
    for (const id of ids) await store.createRegister(permits(id));
    await Promise.all(
      ids.map(async (id) => {
        await sign(store, id);
        await logsOf(store).gather();
      }),
    );
    expect((await logsOf(store).ofLogs()).size).toBe(ids.length);
    expect(await inspected(store)).toEqual([]);
  });

  it.each([
    [
      'logged_checkpoints',
      'UPDATE logged_checkpoints SET entry = (SELECT hashes FROM log_tiles LIMIT 1) WHERE place = 1',
    ],
    ['logged_checkpoints', 'DELETE FROM logged_checkpoints WHERE place = 1'],
    ['log_tiles', 'DELETE FROM log_tiles WHERE register = 0'],
    ['log_trees', 'DELETE FROM log_trees WHERE register = 0'],
    ['signed_logs', 'UPDATE signed_logs SET logged_place = 0 WHERE register > 0'],
    ['signed_logs', 'UPDATE signed_logs SET logged_place = NULL WHERE register > 0'],
    ['signed_logs', 'UPDATE signed_logs SET logged_size = logged_size - 1 WHERE register > 0'],
    ['signed_logs', 'UPDATE signed_logs SET logged_checkpoint = NULL WHERE register > 0'],
    ['signed_logs', 'UPDATE signed_logs SET signed_size = 1 WHERE register = 0'],
  ])('finds in the %s of the log of logs what is wrong after %s', async (table, sql) => {
    const { store } = on;
    for (let n = 0; n < 3; n++) {
      await store.apply('permits', [say(`k${n}`)], { recordedAt: at(n) });
      await sign(store, 'permits');
      await signLogOfLogs(store);
    }
    expect(await inspected(store)).toEqual([]);
    await on.run(sql);
    expect((await inspected(store)).map((finding) => finding.table)).toContain(table);
  });

  it.each([300, 301])('finds the signature of another tree of %d entries', async (size) => {
    const { store } = on;
    await store.apply('permits', RECORDS, { recordedAt: at(0) });
    await sign(store, 'permits');
    expect(await inspected(store)).toEqual([]);
    const { origin } = await logsOf(store).of('permits');
    const { checkpoint } = signedHead(origin!, { size, root: Buffer.alloc(32, 5) });
    await on.run(`UPDATE signed_logs SET checkpoint = '${checkpoint}', signed_size = ${size} WHERE register > 0`);
    expect((await inspected(store)).map(({ table, feedId }) => [table, feedId])).toEqual([['signed_logs', 'permits']]);
  });

  it.each([
    ['hashes of tile/0/000.p/3', 'UPDATE log_tiles SET hashes = substr(hashes, 1, 64)'],
    ['hashes of tile/0/000.p/3', 'DELETE FROM log_tiles'],
    ['versions', 'UPDATE log_trees SET size = 2 WHERE register > 0'],
  ])('takes no version in where it lacks %s: %s', async (what, damage) => {
    const { store } = on;
    await store.apply('permits', RECORDS.slice(0, 3), { recordedAt: at(0) });
    await on.run(damage);
    const applied = store.apply('permits', [say('one')], { recordedAt: at(1) });
    const message = expect.stringContaining(`lacks ${what}`) as string;
    await expect(applied).rejects.toMatchObject({ code: 'invalid_store', message });
    expect((await store.register('permits'))!.change).toBe(3);
  });
}
