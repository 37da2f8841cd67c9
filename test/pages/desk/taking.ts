// Files that the tests of the desk take in, or propose.
import type { ImportResult } from '../../../src/import/import-options.ts';
import { importRecords } from '../../../src/import/importer.ts';
import { FINDING_CODES } from '../../../src/import/proposals/finding-codes.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { source } from '../../import/sources.ts';

/** A row of a file. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly amount?: number;
  readonly applicant?: string;
}

/** How a file is taken in. */
export interface Taking {
  readonly store: ServiceStore;
  readonly now: () => number;
  /** Default `permits`. */
  readonly feedId?: string;
  readonly who?: string;
  readonly file?: string;
  /** Whether it is kept as a proposal. */
  readonly isProposed?: boolean;
  /** Whether records that the file lacks are withdrawn. Default true. */
  readonly isWhole?: boolean;
}

/** Takes rows into a register whole, or proposes it. */
export function takeRows(rows: readonly Row[], taking: Taking): Promise<ImportResult> {
  const {
    store,
    now,
    feedId = 'permits',
    who = 'clerk',
    file = 'week 17.json',
    isProposed = false,
    isWhole = true,
  } = taking;
  const records = rows.map((row) => ({ source_url: 'https://example.org/', amount: null, applicant: null, ...row }));
  return importRecords(store, feedId, jsonReader(source(JSON.stringify(records), 1000, file)), {
    ...{ now, propose: isProposed, withdrawMissing: isWhole, onRefused: () => undefined },
    accept: isProposed ? [] : FINDING_CODES,
    origin: { who },
  });
}

/** Twenty records. */
export const BEFORE: readonly Row[] = Array.from({ length: 20 }, (_, n) => {
  return { id: `k${n}`, title: `Permit ${n}`, amount: 1250 + n, applicant: 'Abel & Söhne' };
});

/** The same, of which one has another amount, one another applicant, one is gone, and one is new. */
export const AFTER: readonly Row[] = [
  ...BEFORE.slice(0, 19).map((row, n) => ({
    ...row,
    ...(n === 3 && { amount: 12.53 }),
    ...(n === 4 && { applicant: 'Abel & Töchter <b>' }),
  })),
  { id: 'new', title: 'Permit <i>new</i>' },
];
