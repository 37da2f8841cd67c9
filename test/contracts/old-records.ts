// A register as stores kept it before they kept statements whole: declared values in their types, and the SHA-256 of
// what was said, of redacted records too. And what an upgrade must make of it.
import { createHash, createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { importRecords } from '../../src/import/importer.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { SLOT_SPAN } from '../../src/stores/rows/columns.ts';
import { source } from '../import/sources.ts';
import { inspected } from './overwrites.ts';
import { at, permits } from './store-register.ts';

/** What a row of a table is given: texts, numbers, bytes and null. */
export type OldRow = readonly [table: string, columns: Readonly<Record<string, string | number | null | Uint8Array>>];

/** More than the upgrade reads at once, and more than it commits at once. */
const MANY = 1100;

/** The erased title of record 3, which was redacted. */
const ERASED = 'A very personal title';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const content = (n: number): Readonly<Record<string, string | number | null>> => ({
  document_type: 'adopted',
  facility_id: null,
  content_type: 'text',
  published_at: '2026-04-17',
  observed_at: at(0),
  observed_is_stated: 0,
  title: `Permit ${n}`,
  author: null,
  source_url: `https://example.org/${n}`,
  summary: null,
  content: null,
  data: canonicalJson({ amount: n + 0.5, applicant: 'Acme', conditions: null }),
});

const slot = (n: number): number => SLOT_SPAN + n;

/** Record 1 was changed, record 2 withdrawn, record 3 redacted. */
export function oldRows(): OldRow[] {
  const rows: OldRow[] = [];
  let change = 0;
  const log = (
    n: number,
    version: number,
    contentVersion: number,
    cause: string,
    changed: string | null = null,
  ): void => {
    rows.push([
      'versions',
      {
        entry: slot(++change),
        slot: slot(n),
        version,
        content_version: contentVersion,
        cause,
        recorded_at: at(version),
        changed,
        digest: digest(n === 3 ? ERASED : `${n}`),
      },
    ]);
  };
  for (let n = 1; n <= MANY; n++) {
    const version = n <= 3 ? 2 : 1;
    const said = digest(n === 3 ? ERASED : `${n}`);
    const row = { slot: slot(n), id: `permits:${n}`, updated_at: at(version), digest: said };
    const erased = Object.fromEntries(Object.keys(content(n)).map((name) => [name, null]));
    const data = { ...row, version, content_version: n === 1 ? 2 : 1, ...(n === 3 ? erased : content(n)) };
    rows.push(n === 2 || n === 3 ? ['withdrawn', { ...data, is_redacted: n === 3 ? 1 : 0 }] : ['records', data]);
    log(n, 1, 1, 'first_observed');
  }
  rows.push(['contents', { slot: slot(1), version: 1, ...content(1), title: 'First' }]);
  log(1, 2, 2, 'source_change', '["title"]');
  log(2, 2, 1, 'withdrawn');
  log(3, 2, 1, 'withdrawn');
  const definition = canonicalJson(permits() as unknown as JsonValue);
  const dates = { last_change: at(2), last_modified: Date.parse(at(2)) / 1000 };
  const counters = { top: MANY, change, live: MANY - 2, ...dates };
  return [['registers', { id: 'permits', definition, import_order: 'oldest-first', ...counters }], ...rows];
}

/** The file that the store was made of: with texts of another form, and columns that no field declares. */
const file = (titleOf = (n: number) => `Permit ${n}`): string => {
  const lines = ['id,title,source_url,published_at,document_type,amount,applicant,colour'];
  for (let n = 1; n <= MANY; n++) {
    if (n !== 2) lines.push(`${n},${titleOf(n)},https://example.org/${n},2026-04-17,adopted,${n}.50,Acme,red`);
  }
  return lines.join('\n');
};

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

/** @param rows those of {@link selectCommitted}, and the bytes of everything the store keeps */
export async function expectUpgraded(
  open: () => InspectedStore | Promise<InspectedStore>,
  read: () => Promise<readonly CommittedRow[]>,
): Promise<void> {
  await (await open()).close();
  const rows = await read();
  expect(rows).toHaveLength(MANY + 3);
  const said = (n: number, title = `Permit ${n}`): JsonValue => ({
    id: `permits:${n}`,
    title,
    content_type: 'text',
    document_type: 'adopted',
    published_at: '2026-04-17',
    source_url: `https://example.org/${n}`,
    data: { amount: n + 0.5, applicant: 'Acme' },
  });
  const hex = ({ commitment }: CommittedRow): string => Buffer.from(commitment).toString('hex');
  const find = (n: number, version: number): CommittedRow => {
    return rows.find((row) => row.id === `permits:${n}` && row.version === version)!;
  };
  expect(hex(find(1, 1))).toBe(commitmentTo(said(1, 'First'), find(1, 1)));
  expect(hex(find(1, 2))).toBe(commitmentTo(said(1), find(1, 2)));
  expect(hex(find(2, 1))).toBe(commitmentTo(said(2), find(2, 1)));
  expect(hex(find(2, 2))).toBe(commitmentTo(null, find(2, 2)));
  expect(hex(find(MANY, 1))).toBe(commitmentTo(said(MANY), find(MANY, 1)));
  expect([find(3, 1).salt, find(3, 2).salt]).toEqual([null, null]);
  expect(new Set(rows.map(({ salt }) => (salt === null ? '' : Buffer.from(salt).toString('hex')))).size).toBe(MANY + 2);

  const store = await open();
  expect(await store.values.list('permits', 'document_type', { limit: 2 })).toEqual([
    { value: 'adopted', records: MANY - 2 },
  ]);
  expect(await inspected(store)).toEqual([]);
  const take = (text: string, minute: number) =>
    importRecords(store, 'permits', csvReader(source(text, undefined, 'permits.csv')), {
      now: () => Date.parse(at(minute)),
    });
  expect(await take(file(), 10)).toMatchObject({ added: 0, changed: 0, unchanged: MANY - 2, redacted: 1, restored: 0 });
  expect((await store.register('permits'))!.change).toBe(MANY + 3);
  // What does change is a version, with the fields that do; then the statement is whole, and compared as a whole.
  const changed = file((n) => (n === 5 ? 'New' : `Permit ${n}`));
  expect(await take(changed, 11)).toMatchObject({ changed: 1, unchanged: MANY - 3 });
  const [version] = (await store.history('permits:5', { offset: 0, limit: 1 }))!;
  expect(version).toMatchObject({
    version: 2,
    changed: ['title'],
    record: { data: { amount: 5.5, applicant: 'Acme' } },
  });
  expect(await take(changed, 12)).toMatchObject({ changed: 0, unchanged: MANY - 2 });
  expect(await take(changed.replace('5.50,Acme,red', '5.50,Acme,blue'), 13)).toMatchObject({ changed: 1 });
  expect(await store.history('permits:5', { offset: 0, limit: 1 })).toMatchObject([{ changed: ['data.colour'] }]);
  expect(await inspected(store)).toEqual([]);
  await store.close();
}

/** The digests that nobody may find any more, of what was redacted. */
export const ERASED_DIGEST: Buffer = digest(ERASED);
