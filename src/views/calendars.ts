// What the calendars of a register hold, and where they are.
import { type CalendarEntry, calendarFields } from '../formats/calendar.ts';
import type { Field, RegisterDefinition } from '../register/record.ts';
import { pages } from '../register/sources/source.ts';
import { latestTime } from '../register/time.ts';
import { type RegisterStore, VERSIONS_PAGE_SIZE } from '../stores/contract/registers.ts';
import { type RegisterView, sourceAt } from './registers.ts';

/** The most records of a calendar, and how many changes back it looks for those that were withdrawn. */
export const NEWEST = 1000;

/** The address of the calendar of a field; `api` is the address of the API. */
export function calendarUrl(api: string, feedId: string, name: string): string {
  return `${api}/feeds/${feedId}/calendar/${name}.ics`;
}

/** The calendars of a register; none where it is not open, for calendar programs send no key. */
export function calendarsOf(
  definition: RegisterDefinition,
  api: string,
): readonly { readonly field: Field; readonly url: string }[] {
  if (definition.access !== 'open') return [];
  return calendarFields(definition).map((field) => ({ field, url: calendarUrl(api, definition.id, field.name) }));
}

/** The newest records, and those among them that were withdrawn of late, newest first. */
export async function calendarEntries(
  store: RegisterStore,
  view: RegisterView,
  signal: AbortSignal,
): Promise<readonly CalendarEntry[]> {
  const { definition, change, log } = view.entry;
  const entries = new Map<string, CalendarEntry & { readonly position: number }>();
  for (let since = Math.max(change - NEWEST, 0), more = true; more && since < change;) {
    const page = await store.changes(definition.id, { since, log, limit: VERSIONS_PAGE_SIZE });
    for (const { cause, record_id, record, version, position, recorded_at } of page.versions) {
      entries.delete(record_id);
      if (cause !== 'withdrawn' || record === null) continue;
      entries.set(record_id, { record, version, position, recordedAt: recorded_at, isWithdrawn: true });
    }
    ({ nextSince: since, more } = page);
  }
  let live = 0;
  for await (const { records } of pages(sourceAt(view), { signal })) {
    for (const record of records) {
      const { id, version, position } = record;
      const recordedAt = latestTime([record])!;
      entries.set(id, { record, version, position: position ?? 0, recordedAt, isWithdrawn: false });
    }
    if ((live += records.length) >= NEWEST) break;
  }
  return [...entries.values()].toSorted((a, b) => b.position - a.position).slice(0, NEWEST);
}
