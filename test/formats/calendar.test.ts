// What a calendar says of records. Two calendar libraries read them in the conformance suite.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendarFields, calendarOf } from '../../src/formats/calendar.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';
import { RUNS, texts } from '../properties/arbitraries.ts';

const [PUBLISHED, DATE, TIME] = calendarFields(SAMPLE_DEFINITION);
const SELF = 'https://example.org/api/v1/feeds/permits/calendar/valid_from.ics';

const calendar = (changes: Partial<RegisterRecord>, field = DATE!): string => {
  const record = sampleRecord(1, changes);
  return calendarOf(
    SAMPLE_DEFINITION,
    field,
    [{ record, version: 3, recordedAt: record.observed_at, isWithdrawn: false }],
    SELF,
  );
};

const unfolded = (text: string): string[] => text.replaceAll('\r\n ', '').split('\r\n');

describe('a calendar', () => {
  it('has an event for each record', () => {
    const changes = { title: 'Permit 1', summary: 'Cooling water,\r\n30 m³; see C:\\plans\u0007' };
    expect(unfolded(calendar({ ...changes, data: { valid_from: '2026-05-01' } }))).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      expect.stringMatching(/^PRODID:-\/\/gazette\/\//),
      'CALSCALE:GREGORIAN',
      'NAME:Environmental permits: Valid from',
      'X-WR-CALNAME:Environmental permits: Valid from',
      'DESCRIPTION:Decisions on permits.',
      'URL:https://example.org/permits',
      `SOURCE;VALUE=URI:${SELF}`,
      'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
      'BEGIN:VEVENT',
      'UID:tag:example.org\\,2026:record/permits:2026-0001',
      'DTSTAMP:20260402T081244Z',
      'LAST-MODIFIED:20260402T081244Z',
      'SEQUENCE:2',
      'DTSTART;VALUE=DATE:20260501',
      'SUMMARY:Permit 1',
      'DESCRIPTION:Cooling water\\,\\n30 m³\\; see C:\\\\plans\ufffd',
      'CATEGORIES:draft,FAC-1',
      'URL:https://example.org/permits/1?lang=de&v=1',
      'STATUS:CONFIRMED',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ]);
  });

  it('may be of the publication date', () => {
    expect(unfolded(calendar({}, PUBLISHED))).toEqual(
      expect.arrayContaining(['NAME:Environmental permits: Published', 'DTSTART;VALUE=DATE:20260402']),
    );
  });

  it.each([
    ['2026-05-01T10:30:00+02:00', 'DTSTART:20260501T083000Z'],
    ['2026-05-01T10:30:00.999Z', 'DTSTART:20260501T103000Z'],
    ['2026-05-01', 'DTSTART;VALUE=DATE:20260501'],
    ['9999-12-31T23:00:00-02:00', 'DTSTART:99991231T230000Z'],
    ['0001-01-01T00:00:00+01:00', 'DTSTART:00001231T230000Z'],
  ])('begins at %s as %s', (heard_at, line) => {
    expect(unfolded(calendar({ data: { heard_at } }, TIME))).toContain(line);
  });

  it('leaves out who has no such date, and then has a time zone: it must have something', () => {
    for (const data of [{}, { valid_from: null }, { valid_from: 5 }]) {
      const lines = unfolded(calendar({ data }));
      expect(lines).not.toContain('BEGIN:VEVENT');
      expect(lines).toContain('BEGIN:VTIMEZONE');
    }
  });

  it('has lines of at most 75 bytes, in which no character is cut', () => {
    fc.assert(
      fc.property(texts(40), (summary) => {
        const text = calendar({ summary, data: { valid_from: '2026-05-01' } });
        const bytes = Buffer.from(text);
        expect(bytes.toString()).toBe(text);
        for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        expect(text).not.toMatch(/[^\P{Cc}\r\n\t\x80-\x9f]/u);
        const said = unfolded(text).find((line) => line.startsWith('DESCRIPTION:') && !line.includes('Decisions'));
        const read = said?.slice(12).replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
        const carried = summary
          .replaceAll(/\r\n?/g, '\n')
          .replaceAll(/[^\P{Cc}\n\t\x80-\x9f]/gu, '\ufffd')
          .toWellFormed();
        expect(read).toBe(carried);
      }),
      { numRuns: RUNS },
    );
  });
});
