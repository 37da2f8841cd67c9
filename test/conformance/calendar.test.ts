// Calendars of arbitrary registers, read by ical.js and by icalendar of Python.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendarFields, calendarOf } from '../../src/formats/calendar.ts';
import { recordUris } from '../../src/register/identity.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { toUri } from '../../src/register/url.ts';
import { testOrSkip } from '../../src/testing/test.ts';
import { registers, type RegisterSample, RUNS } from '../properties/arbitraries.ts';
import { loadJudge, missing, program, PYTHON } from './tools.ts';

/** What both say of an event. */
interface Event {
  readonly uid: string;
  readonly sequence: number;
  readonly status: string;
  readonly summary: string;
  readonly description: string | null;
  readonly url: string;
  /** A date, or milliseconds since 1970. */
  readonly start: string | number;
}

/** What is used of ical.js. */
interface IcalJs {
  parse(text: string): unknown;
  readonly Component: new (parsed: unknown) => IcalComponent;
}

interface IcalComponent {
  getAllSubcomponents(name: string): readonly IcalComponent[];
  getFirstPropertyValue(name: string): unknown;
}

interface IcalTime {
  readonly isDate: boolean;
  toString(): string;
  toJSDate(): Date;
}

let icalJs: IcalJs;
let folder: string;
beforeAll(async () => {
  ({ default: icalJs } = await loadJudge<{ default: IcalJs }>('ical.js'));
  folder = await mkdtemp(join(tmpdir(), 'gazette-calendars-'));
});
afterAll(() => rm(folder, { recursive: true }));

function readByIcalJs(text: string): Event[] {
  const calendar = new icalJs.Component(icalJs.parse(text));
  return calendar.getAllSubcomponents('vevent').map((event) => {
    const valueOf = (name: string): string => event.getFirstPropertyValue(name) as string;
    const start = event.getFirstPropertyValue('dtstart') as IcalTime;
    return {
      ...{ uid: valueOf('uid'), sequence: Number(valueOf('sequence')), status: valueOf('status') },
      ...{ summary: valueOf('summary'), description: valueOf('description'), url: valueOf('url') },
      start: start.isDate ? start.toString() : start.toJSDate().getTime(),
    };
  });
}

async function readByPython(texts: readonly string[]): Promise<unknown[]> {
  const file = join(folder, 'calendars.txt');
  await writeFile(file, texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
  const printed = await program(PYTHON, join(import.meta.dirname, 'calendar-reader.py'), file);
  return printed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const carried = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t\x80-\x9f]/gu, '\ufffd')
    .toWellFormed();

/** The calendars of a register, and what they say. */
function calendarsOf({ definition, records }: RegisterSample): { readonly text: string; readonly events: Event[] }[] {
  return calendarFields(definition).map((field) => {
    // Of years with fewer than four digits readers make others.
    const known = records.filter((record) => (dateOf(record, field.name) ?? '2000') > '1001');
    const entries = known.map((record, at) => {
      return { record, version: at + 1, recordedAt: record.observed_at, isWithdrawn: at % 3 === 1 };
    });
    const events = entries.flatMap(({ record, version, isWithdrawn }): Event[] => {
      const date = dateOf(record, field.name);
      if (date === null) return [];
      return [
        {
          uid: recordUris(definition)(record.id),
          sequence: version - 1,
          status: isWithdrawn ? 'CANCELLED' : 'CONFIRMED',
          summary: carried(record.title),
          description: record.summary === null ? null : carried(record.summary),
          url: toUri(record.source_url),
          start: date.length === 10 ? date : startOf(date),
        },
      ];
    });
    return { text: calendarOf(definition, field, entries, 'https://example.org/calendar/x.ics'), events };
  });
}

/** The second, in UTC; after the year 9999, which calendars do not reach, the second that its own clock shows. */
function startOf(date: string): number {
  const exact = Date.parse(date);
  const shown = exact < Date.UTC(10_000, 0) ? exact : Date.parse(`${date.slice(0, 19)}Z`);
  return Math.floor(shown / 1000) * 1000;
}

function dateOf(record: RegisterRecord, name: string): string | null {
  if (name === 'published_at') return record.published_at;
  const value = Object.hasOwn(record.data, name) ? record.data[name] : null;
  return typeof value === 'string' ? value : null;
}

describe('a calendar', () => {
  it('says to ical.js of every record what the record says', () => {
    fc.assert(
      fc.property(registers(), (register) => {
        for (const { text, events } of calendarsOf(register)) expect(readByIcalJs(text)).toEqual(events);
      }),
      { numRuns: RUNS },
    );
  });

  const title = 'says to icalendar of Python of every record what the record says';
  testOrSkip(it, title, missing(PYTHON, '-c', 'import icalendar') ?? undefined, async () => {
    // One process reads them all: a property would start one for each.
    const all = fc.sample(registers(), { seed: 20_260_501, numRuns: RUNS }).flatMap(calendarsOf);
    // It takes an escaped backslash and what follows it for another escape.
    const calendars = all.filter(
      ({ events }) => !events.some((one) => `${one.summary}${one.description}`.includes('\\')),
    );
    expect(calendars.length).toBeGreaterThan(20);
    const read = await readByPython(calendars.map(({ text }) => text));
    for (const [index, { events }] of calendars.entries()) expect(read[index]).toEqual(events);
  });
});
