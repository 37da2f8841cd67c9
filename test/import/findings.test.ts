// What is found in a file before anything is written: each finding with a file that has it and one that nearly has it, in CSV and JSON.
import { describe, expect, it } from 'vitest';
import type { ImportOptions, ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { FINDING_CODES, parseFindings } from '../../src/import/proposals/finding-codes.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { Imports as TakenIn } from '../../src/operate/registers/imports.ts';
import { Registers } from '../../src/operate/registers.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { clockAt } from './catalogue.ts';
import { source } from './sources.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** So many rows. */
const rows = (count: number, of: (n: number) => Row = () => ({})): readonly Row[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `P-${n}`,
    name: `Permit ${n}`,
    amount: 12.5 + n,
    day: '2020-02-02',
    ...of(n),
  }));

/** The first of the rows, others. */
const but = (first: number, of: (n: number) => Row, count = 100): readonly Row[] =>
  rows(count, (n) => (n < first ? of(n) : {}));

const FORMATS = {
  csv: (list: readonly Row[]) => {
    const columns = [...new Set(list.flatMap((row) => Object.keys(row)))];
    const lines = list.map((row) =>
      columns.map((name) => `"${String(row[name] ?? '').replaceAll('"', '""')}"`).join(','),
    );
    return csvReader(source(`${columns.join(',')}\n${lines.join('\n')}\n`, undefined, 'permits.csv'));
  },
  json: (list: readonly Row[]) => jsonReader(source(JSON.stringify(list), undefined, 'permits.json')),
};

const REGISTER = defineRegister({
  id: 'permits',
  title: 'Permits',
  created_at: '2026-01-01T00:00:00Z',
  fields: [
    { name: 'amount', label: 'amount', type: 'number' },
    { name: 'day', label: 'day', type: 'date' },
  ],
});

const MAPPING = parseMapping(['title=name,source_url=https://example.org/{id}']);

class Imports {
  readonly store: SqliteStore = SqliteStore.open(':memory:');
  readonly #format: keyof typeof FORMATS;
  #runs = 0;

  constructor(format: keyof typeof FORMATS) {
    this.#format = format;
  }

  async take(list: readonly Row[], options: Partial<ImportOptions> = {}): Promise<ImportResult> {
    const reader = FORMATS[this.#format](list);
    const bytes = Buffer.from(JSON.stringify(list));
    if ((await this.store.register('permits')) === null) await this.store.createRegister(REGISTER);
    return importRecords(this.store, 'permits', reader, {
      ...{ now: clockAt(++this.#runs), mapping: MAPPING, order: 'oldest-first', onRefused: () => undefined },
      origin: {
        watch: (listener) => {
          listener(bytes);
        },
      },
      ...options,
    });
  }
}

const whole = { withdrawMissing: true } as const;

/** A day behind the clock of the second import: 2026-05-01. */
const TOMORROW = '2026-05-02';

interface Case {
  readonly code: string;
  readonly what: string;
  readonly options?: Partial<ImportOptions>;
  /** What it is found beside. */
  readonly before?: readonly Row[];
  /** A file that has it. */
  readonly has: readonly Row[];
  /** What it says of it. */
  readonly says: string;
  /** One that nearly has it. */
  readonly nearly: readonly Row[];
}

const CASES: readonly Case[] = [
  {
    ...{ code: 'factor', what: 'numbers ten times what they were' },
    has: but(3, (n) => ({ amount: (12.5 + n) * 10 })),
    says: '3 of 3 numbers that change would be 10, 100 or 1,000 times what they were, or such a part, in data.amount (permits:P-0: 12.5 → 125, permits:P-1: 13.5 → 135, permits:P-2: 14.5 → 145): look for a lost decimal point',
    nearly: but(3, (n) => ({ amount: (12.5 + n) * (n < 2 ? 10 : 11) })),
  },
  {
    ...{ code: 'factor', what: 'a thousandth, in more than one of a hundred' },
    before: rows(300, (n) => ({ amount: 1001 + n })),
    has: rows(300, (n) => ({ amount: n < 4 ? (1001 + n) / 1000 : 2001 + n })),
    says: '4 of 300 numbers',
    nearly: rows(300, (n) => ({ amount: n < 3 ? (1001 + n) / 1000 : 2001 + n })),
  },
  {
    ...{ code: 'factor', what: 'numbers of two digits at least' },
    before: rows(100, (n) => ({ amount: n < 50 ? 1 : 120 })),
    has: rows(100, (n) => ({ amount: n < 50 ? 1 : 12 })),
    says: '50 of 50 numbers',
    nearly: rows(100, (n) => ({ amount: n < 50 ? 10 : 120 })),
  },
  {
    ...{ code: 'factor', what: 'the only number that changes' },
    has: but(1, () => ({ amount: 1250 })),
    says: '1 of 1 number that change',
    nearly: but(1, () => ({ amount: 1250.5 })),
  },
  {
    ...{ code: 'type-lost', what: 'a column whose values are no numbers any more' },
    has: but(51, () => ({ amount: '12,5 €' })),
    says: '51 of 100 values of "amount" are no number ("12,5 €"): say how the file is written',
    nearly: but(50, () => ({ amount: '12,5 €' })),
  },
  {
    ...{ code: 'type-lost', what: 'a column that is empty in most rows' },
    before: but(9, () => ({ day: '2020-02-02' })).map((row, n) => (n < 9 ? row : { ...row, day: null })),
    has: rows(100, (n) => ({ day: n < 3 ? `${n + 1}. Mai` : n < 5 ? '2020-02-02' : null })),
    says: '3 of 5 values of "day" are no date ("1. Mai", "2. Mai", "3. Mai")',
    nearly: rows(100, (n) => ({ day: n < 2 ? `${n + 1}. Mai` : n < 3 ? '2020-02-02' : null })),
  },
  {
    ...{ code: 'renumbered', what: 'other keys for what the file lacks', options: whole },
    has: rows(100, (n) => (n < 11 ? { id: `X-${n}` } : {})),
    says: '11 of 11 records that the file lacks come anew under other keys, and say the same: permits:P-10 is "X-10" now',
    nearly: rows(100, (n) => (n < 11 ? { id: `X-${n}`, ...(n < 1 ? { name: 'Another' } : {}) } : {})),
  },
  {
    ...{ code: 'renumbered', what: 'other keys in a file that need not be whole' },
    has: rows(100, (n) => ({ id: `X-${n}` })),
    says: '100 of 100 records that the file lacks come anew under other keys',
    nearly: rows(100, (n) => ({ id: `X-${n}`, day: '2020-02-03' })),
  },
  {
    ...{ code: 'renumbered', what: 'records that say something', options: { ...whole, accept: ['absences'] } },
    before: rows(100, (n) => ({ amount: n })),
    has: rows(100, (n) => ({ id: `X-${n}`, amount: n })),
    says: '100 of 100 records that the file lacks',
    nearly: rows(100, (n) => ({ id: `X-${n}`, amount: n, name: 'Permit' })),
  },
  {
    ...{ code: 'similar-ids', what: 'ids in other letters' },
    has: [...rows(100), { ...rows(1)[0]!, id: 'p-0' }],
    says: '1 new id differs from known ones in case, spaces or Unicode form alone: "p-0" beside "P-0"',
    nearly: [...rows(100), { ...rows(1)[0]!, id: 'p_0' }],
  },
  {
    ...{ code: 'similar-ids', what: 'ids in another Unicode form' },
    before: rows(20, (n) => ({ id: `É ${n}` })),
    has: [...rows(20, (n) => ({ id: `É ${n}` })), { ...rows(1)[0]!, id: 'É1'.normalize('NFD') }],
    says: 'beside "É 1"',
    nearly: [...rows(20, (n) => ({ id: `É ${n}` })), { ...rows(1)[0]!, id: 'E1' }],
  },
  {
    ...{ code: 'odd-dates', what: 'dates in the future' },
    has: but(2, () => ({ day: '2026-05-03' })),
    says: 'dates before 1900 or in the future: data.day (in 2 records: "2026-05-03")',
    nearly: but(2, () => ({ day: TOMORROW })),
  },
  {
    ...{ code: 'odd-dates', what: 'deadlines' },
    has: but(50, () => ({ day: '2026-05-03' })),
    says: 'data.day (in 50 records: "2026-05-03")',
    nearly: but(51, () => ({ day: '2026-05-03' })),
  },
  {
    ...{ code: 'odd-dates', what: 'dates before 1900' },
    has: but(1, () => ({ published_at: '1899-12-31' })),
    says: 'published_at (in 1 record: "1899-12-31")',
    nearly: but(1, () => ({ published_at: '1900-01-01' })),
  },
  {
    ...{ code: 'fewer-rows', what: 'half a file' },
    has: rows(50),
    says: 'the file has 50 rows; the file before had 100',
    nearly: rows(51),
  },
  {
    ...{ code: 'column-without-field', what: 'a column that is new' },
    has: rows(100, () => ({ note: 'internal' })),
    says: 'kept, not shown, because the definition does not declare it: note (in 100 records); proofs and statement=1 have it, and --ignore keeps it out',
    nearly: rows(100),
  },
  {
    ...{ code: 'other-file', what: 'other records with other columns' },
    has: rows(20, (n) => ({ id: `B-${n}`, name: 'Wren', amount: null, day: null, ring: n, colour: 'red' })),
    says: 'none of the records of register "permits", and most of its columns are others ("ring", "colour"): is it the file of another register?: say with --accept other-file',
    nearly: rows(20, (n) => ({ id: `B-${n}`, name: 'Wren', amount: n, ring: n, colour: 'red' })),
  },
  {
    ...{ code: 'other-file', what: 'other columns, but not a single record that is known' },
    has: rows(20, (n) => ({ id: `B-${n}`, name: 'Wren', amount: null, day: null, ring: n, colour: 'red' })),
    says: 'none of the records',
    nearly: rows(20, (n) => ({ id: `P-${n}`, name: 'Wren', amount: null, day: null, ring: n, colour: 'red' })),
  },
  {
    ...{ code: 'absences', what: 'what is beyond the bound', options: whole },
    has: rows(89),
    says: 'the file lacks 11 of the 100 live records of register "permits", and more than 10',
    nearly: rows(90),
  },
  {
    ...{ code: 'same-field', what: 'the same field everywhere' },
    has: but(51, (n) => ({ day: `2021-01-${String((n % 28) + 1).padStart(2, '0')}` })),
    says: '51 of 100 known records would change, all of them in data.day: ignore it with --ignore day',
    nearly: but(50, () => ({ day: '2021-01-01' })),
  },
];

describe.each(['csv', 'json'] as const)('what is found in a file of %s', (format) => {
  it.each(CASES)('$code: $what', async ({ code, before = rows(100), has, nearly, options = {}, says }) => {
    const imports = new Imports(format);
    await imports.take(before);
    const found = async (list: readonly Row[]) =>
      (await imports.take(list, { ...options, propose: true })).report.findings.map(
        ({ ways = '', message, ...more }) => {
          return { ...more, message: message + ways };
        },
      );
    expect(await found(nearly)).not.toContainEqual(expect.objectContaining({ code }));
    expect(await found(has)).toContainEqual(
      expect.objectContaining({ code, message: expect.stringContaining(says) as string }),
    );
  });

  it('earlier-file: the bytes of a file before the last one', async () => {
    const imports = new Imports(format);
    await imports.take(rows(100));
    const found = async () =>
      (await imports.take(rows(100), { propose: true })).report.findings.map(
        ({ code, message }) => `${code}: ${message}`,
      );
    expect(await found()).toEqual([]);
    await imports.take(rows(101));
    expect(await found()).toEqual([
      'earlier-file: the file is that of import 2 (2026-05-01), after which 1 other came, import 3 last',
    ]);
    // What was taken back did not come after it.
    await new TakenIn(imports.store).undo('permits', 3, { who: null });
    expect((await found()).filter((one) => one.startsWith('earlier-file'))).toEqual([]);
  });
});

it.each([
  ['comma', '1,234', '1234'],
  ['point', '1.234', '1.234'],
])('unclear-numbers: a %s that may be that of decimals or of thousands', async (_, text, read) => {
  const imports = new Imports('csv');
  const plain = { amount: 7 };
  await imports.take(rows(100, () => plain));
  const found = async (amounts: readonly string[], options: Partial<ImportOptions> = {}) => {
    const list = rows(100, (n) => (n < amounts.length ? { amount: amounts[n]! } : plain));
    const { report } = await imports.take(list, { ...options, propose: true });
    return report.findings.find(({ code }) => code === 'unclear-numbers') ?? null;
  };
  expect(await found([text, text, '-' + text])).toMatchObject({
    stops: false,
    message: expect.stringContaining(
      `nothing in the first 2,000 rows shows whether the sign marks decimals or thousands: data.amount (in 3 records: ${text} → ${read}, -${text} → -${read})`,
    ) as string,
    facts: {
      counts: { rows: 2000 },
      items: [{ name: 'data.amount', count: 3, examples: [`${text} → ${read}`, `-${text} → -${read}`] }],
    },
  });
  for (const clear of ['12.5', '0.125', '1234.5', '1,234,567']) expect(await found([text, clear])).toBeNull();
  expect(await found([text], { decimalComma: false })).toBeNull();
  expect(await found(['12', '123'])).toBeNull();
});

describe('a finding', () => {
  it('stops, warns or is not told, as its register says', async () => {
    const imports = new Imports('csv');
    await imports.take(rows(100));
    const registers = new Registers(imports.store);
    const next = but(60, (n) => ({ day: '2021-01-01', amount: 12.5 + n }));
    await expect(imports.take(next)).rejects.toMatchObject({
      code: 'import_stopped',
      details: { findings: 'same-field' },
    });
    await registers.setFindings('permits', { 'same-field': 'warn' });
    expect((await imports.take(next, { propose: true })).report.findings).toEqual([
      {
        ...{
          code: 'same-field',
          stops: false,
          message: '60 of 100 known records would change, all of them in data.day',
        },
        facts: { counts: { changed: 60, known: 100 }, items: [{ name: 'data.day' }] },
      },
    ]);
    // What is not named stays as it is.
    await registers.setFindings('permits', { 'odd-dates': 'stop' });
    expect(await registers.findings('permits')).toEqual({ 'same-field': 'warn', 'odd-dates': 'stop' });
    expect(await imports.take(next)).toMatchObject({ changed: 60, refusal: null });
    const odd = but(1, () => ({ day: '1800-01-01' }));
    await expect(imports.take(odd)).rejects.toMatchObject({
      message: expect.stringContaining('data.day (in 1 record: "1800-01-01"): say with --accept odd-dates') as string,
    });
    expect(await imports.take(odd, { accept: ['odd-dates'] })).toMatchObject({ changed: 60 });
    await registers.setFindings('permits', { 'odd-dates': 'ignore' });
    expect((await imports.take(odd)).report.findings).toEqual([]);
  });

  it.each(['absences', 'absence=warn', 'absences=no', 'absences=warn=stop', '=warn'])('is not said by %s', (text) => {
    expect(() => parseFindings([text])).toThrow(
      `finding must be CODE=stop|warn|ignore, where CODE is one of ${FINDING_CODES.join(', ')}`,
    );
  });

  it('is told of odd dates that are new, and has none of what was erased', async () => {
    const imports = new Imports('csv');
    const odd = (count: number) => but(count, (n) => ({ day: `180${n}-01-01` }));
    const found = async (list: readonly Row[]) =>
      (await imports.take(list)).report.findings.map(({ message }) => message);
    const says = (count: string) => `dates before 1900 or in the future: data.day (in ${count})`;
    expect(await found(odd(1))).toEqual([says('1 record: "1800-01-01"')]);
    expect(await found(odd(3))).toEqual([says('2 records: "1801-01-01", "1802-01-01"')]);
    await imports.store.redact('permits:P-3', { recordedAt: '2026-06-01T00:00:00Z' });
    expect(await found(odd(4))).toEqual([]);
  });

  it('is none of numbers where the last file was read wrongly', async () => {
    const imports = new Imports('csv');
    await imports.take(rows(100));
    const next = but(10, (n) => ({ amount: (12.5 + n) / 10 }));
    await expect(imports.take(next)).rejects.toMatchObject({ details: { findings: 'factor' } });
    expect(await imports.take(next, { cause: 'extraction_correction' })).toMatchObject({ changed: 10 });
  });

  it('that stops the import of records under other keys is no absence', async () => {
    const imports = new Imports('csv');
    await imports.take(rows(100));
    const next = rows(100, (n) => ({ id: `X-${n}` }));
    await expect(imports.take(next, whole)).rejects.toMatchObject({ details: { findings: 'renumbered' } });
    expect(await imports.take(next, { ...whole, accept: ['renumbered'] })).toMatchObject({
      added: 100,
      withdrawn: 100,
    });
  });
});
