// The records of a register in the order of one of its columns, for people who look at a table: no list for programs has it, because a
// correction would move records from page to page.
import { canonicalJson, type JsonValue } from '../register/canonical-json.ts';
import { coreField } from '../register/fields.ts';
import { type Filter, filterText, valueIn } from '../register/finding/filter.ts';
import { OWN_PREFIX } from '../register/finding/own-filters.ts';
import type { Page, PageQuery } from '../register/page.ts';
import {
  type CoreFieldName,
  type FieldType,
  isNumberType,
  type RegisterDefinition,
  type RegisterRecord,
} from '../register/record.ts';
import { readPage } from '../register/sources/source.ts';
import { Shared } from '../shared.ts';
import { SORT_PARAMETER } from '../templates/parts/column-choice.ts';
import { SORTED_CORE_FIELDS, type Sorting } from '../templates/parts/records-table.ts';
import { examineMatches } from '../views/matches.ts';
import type { RegisterView } from '../views/registers.ts';
import type { SeenView } from './found.ts';

/** How many keys of records are kept in their orders, for all searches together. */
const MAX_KEPT = 1_000_000;

/** The order that is asked for; null: the register's own. Names of no column are ignored. */
export function sortingIn(parameters: URLSearchParams, { fields }: RegisterDefinition): Sorting | null {
  const asked = parameters.get(SORT_PARAMETER) ?? '';
  const isDescending = asked.startsWith('-');
  const by = isDescending ? asked.slice(1) : asked;
  const isOwn = fields.some(({ name }) => OWN_PREFIX + name === by);
  return isOwn || SORTED_CORE_FIELDS.some((name) => name === by) ? { by, isDescending } : null;
}

/** Sorts records, and keeps the orders while the registers do not change. */
export class SortedRecords {
  readonly #orders = new Shared<string, readonly string[], RegisterView>({
    capacity: MAX_KEPT,
    weigh: (keys) => keys.length + 1,
  });

  /**
   * A page of the records that match, no more than one request may examine. Its offset counts records.
   *
   * @throws GazetteError as `RegisterSource.page()`
   */
  async page(sight: SeenView, { filter, offset, limit, signal }: PageQuery, sorting: Sorting): Promise<Page> {
    const { view, source, key } = sight;
    const { id } = view.entry.definition;
    const name = JSON.stringify([id, key, filterText(filter ?? {}), sorting.by, sorting.isDescending]);
    const { value: order } = await this.#orders.of(
      name,
      view,
      async (abandoned) => ({ value: await sortedKeys(sight, filter, sorting, abandoned), isLasting: true }),
      signal,
    );
    const keys = order.slice(offset, offset + limit);
    const found = keys.length === 0 ? [] : await this.#records(source, keys, signal);
    const end = offset + keys.length;
    return { records: found, nextOffset: end < order.length ? end : null, asOf: null };
  }

  async #records(
    source: SeenView['source'],
    keys: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly RegisterRecord[]> {
    const { records } = await readPage(source, {
      ...{ offset: 0, limit: keys.length, filter: { key: keys } },
      ...(signal && { signal }),
    });
    const byKey = new Map(records.map((record) => [record.key, record]));
    return keys.map((one) => byKey.get(one)).filter((record) => record !== undefined);
  }
}

/** The keys of the records that match, in the order of a column; those without a value last, and of equals the newest first. */
async function sortedKeys(
  { view, source }: SeenView,
  filter: Filter | undefined,
  { by, isDescending }: Sorting,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { definition } = view.entry;
  const { type } = definition.fields.find(({ name }) => OWN_PREFIX + name === by) ?? coreField(by as CoreFieldName);
  const found: { readonly key: string; readonly value: string | number | null }[] = [];
  await examineMatches(source, { ...(filter && { filter }), signal }, (records) => {
    for (const record of records) found.push({ key: record.key, value: orderOf(type, valueIn(record, by)) });
  });
  const { compare } = collatorFor(definition.language);
  const sign = isDescending ? -1 : 1;
  const sorted = found.toSorted(({ value: a }, { value: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b)));
  });
  return sorted.map(({ key }) => key);
}

/** What a value is sorted by; null: nothing. */
function orderOf(type: FieldType, value: JsonValue): string | number | null {
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'object') return canonicalJson(value);
  if (type === 'date' || type === 'datetime') return Date.parse(String(value));
  return isNumberType(type) ? Number(value) : String(value);
}

/** The order of a language's dictionaries, in which numbers in a text count as numbers. */
function collatorFor(language: string | null): Intl.Collator {
  try {
    return new Intl.Collator(language ?? 'en', { numeric: true });
  } catch {
    // Not every tag that a publisher gives has the form of one.
    return new Intl.Collator('en', { numeric: true });
  }
}
