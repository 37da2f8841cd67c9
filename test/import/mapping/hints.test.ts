// What a refusal says so that the next try succeeds.
import { describe, expect, it } from 'vitest';
import { GazetteError } from '../../../src/errors.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { openRecordStream, type RecordStream } from '../../../src/import/record-stream.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { source } from '../sources.ts';

const CSV = 'Az.;Bezeichnung;Datum;Fundstelle;Größe\n12/2026;Halde;17.04.2026;https://example.org/a;1,5\n';

async function open(csv: string, map: string[], observedAt: string | null = '2026-04-19'): Promise<RecordStream> {
  return openRecordStream(csvReader(source(csv, undefined, 'akten.csv')), {
    mapping: parseMapping(map),
    ...(observedAt === null ? {} : { observedAt }),
  });
}

async function recordsOf(stream: RecordStream): Promise<RegisterRecord[]> {
  const records: RegisterRecord[] = [];
  for await (const page of stream.pages()) records.push(...page.records);
  return records;
}

async function refusal(csv: string, map: string[], observedAt?: string | null): Promise<string> {
  try {
    await recordsOf(await open(csv, map, observedAt));
  } catch (error) {
    if (error instanceof GazetteError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const COLUMNS = 'the record has "Az.", "Bezeichnung", "Datum", "Fundstelle", "Größe"';

describe('the refusal of a file', () => {
  it('names all missing fields at once, the columns, and those that may be meant', async () => {
    expect(await refusal(CSV, [])).toBe(
      'akten.csv: line 2: id must be the publisher’s key, as text that is not empty, got nothing; ' +
        'also missing: title, source_url; ' +
        `say where they are with --map id=Az.,title=Bezeichnung,source_url=Fundstelle; ${COLUMNS}`,
    );
  });

  it('proposes a mapping that works', async () => {
    const map = /--map (\S+);/.exec(await refusal(CSV, []))![1]!;
    const records = await recordsOf(await open(CSV, [map]));
    expect(records).toMatchObject([{ id: 'records:12~2F2026', title: 'Halde', source_url: 'https://example.org/a' }]);
  });

  it('names the date of observation with the others', async () => {
    expect(await refusal(CSV, ['title=Bezeichnung'], null)).toBe(
      'akten.csv: the records have no id, no source_url, no observed_at; give --observed-at, or --map observed_at=SOURCE; ' +
        `say where they are with --map id=Az.,source_url=Fundstelle; ${COLUMNS}`,
    );
  });

  it('says SOURCE where no column may be meant', async () => {
    expect(await refusal('x,y\n1,2\n', [])).toContain(
      '--map id=SOURCE,title=SOURCE,source_url=SOURCE; where no column identifies a record, give --key row; the record has "x", "y"',
    );
  });

  it('names the nearest column to one that is not there', async () => {
    expect(await refusal(CSV, ['id=Az.,title=Bezeichnug,source_url=Fundstelle'])).toBe(
      'akten.csv: line 2: title must be text that is not empty, got nothing; mapped from "Bezeichnug"; ' +
        `nearest to it: "Bezeichnung"; ${COLUMNS}`,
    );
    expect(await refusal(CSV, ['id={Az},title=Bezeichnung,source_url=Fundstelle'])).toBe(
      'akten.csv: line 2: id needs "Az", which is absent; mapped from "{Az}"; ' + `nearest to it: "Az."; ${COLUMNS}`,
    );
  });

  it.each([
    ['17.04.2026', 'give --date-format, such as DD.MM.YYYY, to read dates in this form'],
    ['2026-04-17T08:12:44.000', 'it has no offset from UTC; give --date-format YYYY-MM-DD to read such times as UTC'],
  ])('says how %s can be read', async (date, hint) => {
    const csv = `id,title,source_url,published_at\n1,A,https://example.org/,${date}\n`;
    expect(await refusal(csv, [])).toContain(`got "${date}"; ${hint}`);
  });
});

describe('a number of more digits than a field shows', () => {
  it('is counted and named', async () => {
    const csv =
      'id,title,source_url,area\n1,A,https://example.org/,0.1234567890123456789\n2,B,https://example.org/,0.10\n';
    const stream = await openRecordStream(csvReader(source(csv)), {
      definition: defineRegister({
        id: 'plots',
        title: 'Plots',
        created_at: '2026-01-01T00:00:00Z',
        fields: [{ name: 'area', label: 'Area', type: 'number' }],
      }),
      observedAt: '2026-04-19',
    });
    expect((await recordsOf(stream)).map(({ data }) => data.area)).toEqual([0.12345678901234568, 0.1]);
    expect(stream.notes().rounded).toEqual(new Map([['area', 1]]));
  });
});
