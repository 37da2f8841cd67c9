// What every version of a store commits to, read from its rows: the store itself does not show it.
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { at, permits, say } from './store-register.ts';

/** What a version's row says of its commitment. */
export interface CommittedRow {
  readonly id: string;
  readonly version: number;
  readonly cause: string;
  readonly salt: Uint8Array | null;
  readonly commitment: Uint8Array;
  readonly uuid: string;
}

/** The query for rows of this kind, oldest first. */
export function selectCommitted(prefix: string): string {
  return `SELECT coalesce(r.id, w.id) AS id, v.version, v.cause, v.salt, v.commitment, l.uuid FROM ${prefix}versions v
    LEFT JOIN ${prefix}records r ON r.slot = v.slot LEFT JOIN ${prefix}withdrawn w ON w.slot = v.slot
    JOIN ${prefix}logs l ON l.number = v.log ORDER BY v.entry`;
}

/** The commitment of a row, made as the specification of commitments says. */
export function commitmentTo(statement: JsonValue, { id, version, salt, uuid }: CommittedRow): string {
  const text = canonicalJson({ v: 1, log: uuid, id, version, statement });
  return createHmac('sha256', salt!).update(text).digest('hex');
}

/** An opened store whose rows can be read. */
export interface ReadableStore {
  readonly store: ServiceStore;
  /** The rows of `selectCommitted()`. */
  readonly committed: () => Promise<readonly CommittedRow[]>;
  readonly dispose: () => Promise<void>;
}

/** What was said, without members that are null and without `feed_id`. */
function statementOf(said: PublishedRecord): JsonValue {
  const members = Object.entries<JsonValue>({ ...said }).filter(
    ([name, value]) => name !== 'feed_id' && value !== null,
  );
  const data = Object.entries(said.data).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(members), data: Object.fromEntries(data) };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Registers the suite for one implementation. */
export function commitmentContract(open: () => Promise<ReadableStore>): void {
  let on: ReadableStore;
  beforeEach(async () => {
    on = await open();
    await on.store.createRegister(permits());
  });
  afterEach(() => on.dispose());

  it('commits every version to its statement, its place and its log, each with a salt of its own', async () => {
    const { store } = on;
    const apply = (minute: number, ...batch: PublishedRecord[]) =>
      store.apply('permits', batch, { recordedAt: at(minute) });
    const first = say('a', { summary: 'é \u2028', data: { raw: ' 1.50 ', zahl: [1e21, { b: null }], none: null } });
    const second = say('a', { observed_at: at(-5), data: {} });
    await apply(0, first, say('b'));
    await apply(1, second);
    await store.withdraw('permits', ['permits:a', 'permits:b'], { recordedAt: at(2) });
    await apply(3, say('a', { data: {} }), say('b', { title: 'New' }));
    const rows = await on.committed();
    const statements: readonly (PublishedRecord | null)[] = [
      first,
      say('b'),
      second,
      null,
      null,
      second,
      say('b', { title: 'New' }),
    ];
    expect(rows.map(({ id, version }) => `${id}:${version}`)).toEqual([
      ...['permits:a:1', 'permits:b:1', 'permits:a:2', 'permits:a:3', 'permits:b:2', 'permits:a:4', 'permits:b:3'],
    ]);
    for (const [index, row] of rows.entries()) {
      const statement = statements[index] ?? null;
      expect(hex(row.commitment)).toBe(commitmentTo(statement === null ? null : statementOf(statement), row));
      expect(row.salt).toHaveLength(32);
    }
    const asked = { since: 0, limit: 100 };
    const { versions } = await store.changes('permits', { ...asked, withStatement: true });
    for (const [index, { statement }] of versions.entries()) {
      const given = statements[index] ?? null;
      expect(statement).toEqual(given === null ? null : statementOf(given));
      expect(commitmentTo(statement!, rows[index]!)).toBe(hex(rows[index]!.commitment));
    }
    const newest = versions.filter(({ record_id }) => record_id === 'permits:a').reverse();
    expect(await store.history('permits:a', { offset: 0, limit: 100, withStatement: true })).toEqual(newest);
    expect((await store.changes('permits', asked)).versions.some((version) => 'statement' in version)).toBe(false);
    expect(new Set(rows.map(({ salt }) => hex(salt!))).size).toBe(rows.length);
    expect(new Set(rows.map(({ uuid }) => uuid)).size).toBe(1);
    expect(await apply(4, second, say('b', { title: 'New' }))).toMatchObject({ unchanged: 2 });
    await store.redact('permits:a', { recordedAt: at(5) });
    const erased = await store.history('permits:a', { offset: 0, limit: 100, withStatement: true });
    expect(erased!.map(({ statement }) => statement)).toEqual([null, null, null, null, null]);
  });

  it('names another log for a register that is made again', async () => {
    const { store } = on;
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    const before = await on.committed();
    await store.removeRegister('permits');
    await store.createRegister(permits());
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    const after = await on.committed();
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(after[0]!.uuid).not.toBe(before[0]!.uuid);
    expect(hex(after[0]!.commitment)).toBe(commitmentTo(statementOf(say('a')), after[0]!));
  });
}
