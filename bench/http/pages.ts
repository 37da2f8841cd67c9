// What the tables of pages ask for: pages for people, and the same content as JSON. The register is open, so that both give everybody the
// whole records, and the records that are asked for were corrected once, so that there is a difference to show.
import { getRequest } from './load.ts';
import { benchRecord, DEFINITION } from '../data.ts';
import type { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';

/** Records on a page of a register, as a browser is shown unless it asks for another number. */
const RECORDS_ON_PAGE = 20;

/** How many records are asked for. */
const RECORDS = 400;

const CORRECTED_AT = '2026-02-01T00:00:00Z';

/** What is asked for: the first page of the register with its chart, other pages of it, or pages of records. */
export type PageKind = 'first' | 'register' | 'record';

/** The positions of the records that are asked for, all over the register. */
function positions(size: number): readonly number[] {
  const count = Math.min(RECORDS, size);
  return Array.from({ length: count }, (_, at) => size - Math.floor((at * size) / count));
}

/** Opens the register and corrects its records. The second time there is nothing to do. */
export async function openRegister(store: SqliteStore, size: number): Promise<void> {
  await store.updateRegister({ ...DEFINITION, access: 'open' }, { recordedAt: CORRECTED_AT });
  const corrected = positions(size).map((position) => {
    const record = benchRecord(position);
    const summary = `${record.summary ?? ''} The second sheet was missing.`.trim();
    return toPublishedRecord({ ...record, title: `${record.title} (corrected)`, summary }, true);
  });
  await store.apply(DEFINITION.id, corrected, { recordedAt: CORRECTED_AT });
}

/** The requests for pages, in turn. @param offsets of the pages of the register */
export function pageRequests(kind: PageKind, size: number, offsets: readonly number[]): string[] {
  const accept = { Accept: 'text/html' };
  if (kind === 'first') return [getRequest(`/feeds/${DEFINITION.id}`, accept)];
  if (kind === 'register')
    return offsets.map((offset) => getRequest(`/feeds/${DEFINITION.id}?offset=${offset}`, accept));
  return positions(size).map((position) => getRequest(`/records/${benchRecord(position).id}`, accept));
}

/**
 * The requests for the same content as JSON. A page of a register says more than the list of its records, which alone is asked for:
 * what the register is, and which values its fields have. A page of a record says what two answers say, the record and its versions: these come
 * in turn, so that two answers have to be counted for one page.
 */
export function jsonRequests(kind: PageKind, size: number, offsets: readonly number[]): string[] {
  const api = '/api/v1';
  const list = `${api}/feeds/${DEFINITION.id}/records?limit=${RECORDS_ON_PAGE}`;
  if (kind === 'first') return [getRequest(list)];
  if (kind === 'register') return offsets.map((offset) => getRequest(`${list}&offset=${offset}`));
  return positions(size).flatMap((position) => {
    const record = `${api}/records/${benchRecord(position).id}`;
    return [getRequest(record), getRequest(`${record}/history`)];
  });
}
