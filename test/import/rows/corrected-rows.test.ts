// Rows without a key of their own: a corrected row is a withdrawn record and a new one, and what is another in it is found all the same.
import { describe, expect, it } from 'vitest';
import type { ImportOptions, ImportResult } from '../../../src/import/import-options.ts';
import { importRecords } from '../../../src/import/importer.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { clockAt } from '../catalogue.ts';
import { source } from '../sources.ts';

const REGISTER = defineRegister({
  id: 'payments',
  title: 'Payments',
  created_at: '2026-01-01T00:00:00Z',
  fields: [
    { name: 'payer', label: 'payer', type: 'text' },
    { name: 'purpose', label: 'purpose', type: 'text' },
    { name: 'state', label: 'state', type: 'text' },
    { name: 'amount', label: 'amount', type: 'number' },
  ],
});

interface Payment {
  readonly name: string;
  readonly payer: string;
  readonly purpose: string;
  readonly state: string;
  readonly amount: number;
}

/** Payments of which no value is of one alone, but the amount. */
const payments = (count: number, of: (n: number) => Partial<Payment> = () => ({})): readonly Payment[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ name: `Supplier ${n % 40}`, payer: `Office ${n % 7}`, purpose: `Purpose ${n % 5}`, state: 'paid' },
    ...{ amount: 12.25 + n, ...of(n) },
  }));

async function taken(
  lists: readonly (readonly Payment[])[],
  options: Partial<ImportOptions> = {},
): Promise<ImportResult> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(REGISTER);
  let last: ImportResult | null = null;
  for (const [at, list] of lists.entries()) {
    const columns = Object.keys(list[0]!);
    const lines = list.map((row) => Object.values(row).join(','));
    const reader = csvReader(source(`${columns.join(',')}\n${lines.join('\n')}\n`, undefined, 'payments.csv'));
    last = await importRecords(store, 'payments', reader, {
      ...{ now: clockAt(at + 1), mapping: parseMapping(['title=name,source_url=https://example.org/']) },
      ...{ key: 'row', withdrawMissing: true, order: 'oldest-first', propose: at > 0, ...options },
    });
  }
  await store.close();
  return last!;
}

const codes = ({ report }: ImportResult): readonly string[] => report.findings.map(({ code }) => code);

describe('A register whose keys are made of its rows', () => {
  it.each([200, 3000])('stops where the decimal comma of %i rows was lost', async (count) => {
    const lost = payments(count - 2, (n) => ({ amount: (12.25 + n) * 100 }));
    const result = await taken([payments(count), lost]);
    expect(result).toMatchObject({ added: count - 2, withdrawn: count });
    expect(codes(result)).toEqual(['same-field', 'factor']);
    const { corrected, fields, findings } = result.report;
    const compared = Math.min(count, 1000);
    expect(corrected!.compared).toBe(compared);
    // Most of them are paired with what they became, whatever the others have in common with their neighbours.
    expect(corrected!.found).toBeGreaterThan(compared * 0.9);
    expect(fields).toMatchObject([{ field: 'data.amount', changed: corrected!.found, largest: { factor: 100 } }]);
    expect(findings[1]!.message).toMatch(/: (\d+)\.25 → \1(?:25),/);
  });

  it('stops where a column changes in all rows, and says which', async () => {
    const result = await taken([payments(200), payments(200, () => ({ state: 'booked' }))]);
    expect(codes(result)).toEqual(['same-field']);
    expect(result.report.findings[0]!.message).toBe('200 of 200 known records would change, all of them in data.state');
    expect(result.report.corrected).toEqual({ compared: 200, found: 200 });
  });

  it('shows what is another in a few corrected rows, and stops nothing', async () => {
    const next = payments(200, (n) => (n === 3 ? { state: 'open' } : n === 5 ? { amount: 100.5 } : {}));
    const result = await taken([payments(200), next]);
    expect(result).toMatchObject({ added: 2, withdrawn: 2, refusal: null });
    expect(result.report).toMatchObject({ findings: [], corrected: { compared: 2, found: 2 } });
    expect(result.report.fields).toMatchObject([
      { field: 'data.amount', changed: 1, examples: [{ before: 17.25, after: 100.5 }] },
      { field: 'data.state', changed: 1, examples: [{ before: 'paid', after: 'open' }] },
    ]);
  });

  it('compares no rows that have little in common', async () => {
    const other = payments(100, (n) => ({ name: `Builder ${n}`, payer: `Town ${n}`, purpose: `Road ${n}` }));
    expect((await taken([payments(100), other])).report).toMatchObject({ fields: [], findings: [] });
  });

  it('is asked nothing where it is said that the file before was read wrongly', async () => {
    const lost = payments(200, (n) => ({ amount: (12.25 + n) * 100 }));
    const result = await taken([payments(200), lost], { cause: 'extraction_correction' });
    expect(result.report.findings).toEqual([]);
  });
});
