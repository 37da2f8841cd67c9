import { describe, expect, it } from 'vitest';
import { jsonReader } from '../../src/import/readers/json.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import type { RecordStreamOptions } from '../../src/import/opened-records.ts';
import { openRecordStream, type RecordStream } from '../../src/import/record-stream.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { defineRegister, type DefinitionInput } from '../../src/register/definition.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { source } from './sources.ts';

const OBSERVED = { observedAt: '2026-01-02T03:04:05Z' };

/** A record that has all it needs. */
function notice(
  id: string | number,
  more: Readonly<Record<string, JsonValue>> = {},
): Readonly<Record<string, JsonValue>> {
  return { id, title: `Notice ${String(id)}`, source_url: 'https://example.org/n', ...more };
}

function open(records: readonly JsonValue[], options: RecordStreamOptions = OBSERVED): Promise<RecordStream> {
  return openRecordStream(jsonReader(source(JSON.stringify(records))), options);
}

function define(fields: DefinitionInput['fields'] = []): ReturnType<typeof defineRegister> {
  return defineRegister({ id: 'notices', title: 'Notices', created_at: '2026-01-01T00:00:00Z', fields });
}

async function recordsOf(stream: RecordStream): Promise<RegisterRecord[]> {
  return (await Array.fromAsync(stream.pages())).flatMap((page) => page.records);
}

/** Opens and reads, and answers the error it must end in. */
async function refusal(
  records: readonly JsonValue[],
  options?: RecordStreamOptions,
): Promise<{ code: string; message: string }> {
  try {
    await recordsOf(await open(records, options));
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
  throw new Error('nothing was refused');
}

describe('a register made of a file', () => {
  it.each([0, 1, 99, 100, 101, 200, 250])(
    'has pages of 100 for %i records, the last alone without a next',
    async (count) => {
      const stream = await open(Array.from({ length: count }, (_, index) => notice(index)));
      const pages = await Array.fromAsync(stream.pages());
      expect(pages.map((page) => [page.records.length, page.nextOffset, page.asOf])).toEqual(
        Array.from({ length: Math.max(1, Math.ceil(count / 100)) }, (_, index) => [
          Math.min(100, count - index * 100),
          (index + 1) * 100 < count ? (index + 1) * 100 : null,
          null,
        ]),
      );
      expect(pages.flatMap((page) => page.records.map(({ id }) => id))).toEqual(
        Array.from({ length: count }, (_, index) => `records:${index}`),
      );
    },
  );

  it('gives no positions, and the constant date as its last change', async () => {
    const stream = await open([notice(1, { id: 'records:1', position: 5, feed_id: 'records', data: {} })], {
      observedAt: '2026-01-02',
    });
    expect(stream.lastChange()).toBe('2026-01-02T00:00:00Z');
    expect(await recordsOf(stream)).toMatchObject([{ id: 'records:1', position: null, observed_at: '2026-01-02' }]);
    expect((await open([notice(1, { observed_at: '2026-01-02' })], {})).lastChange()).toBeNull();
  });

  it('takes the constant date only for records that have none of their own', async () => {
    const stream = await open([notice(1, { observed_at: '2025-05-05' }), notice(2, { observed_at: null }), notice(3)]);
    expect((await recordsOf(stream)).map((record) => record.observed_at)).toEqual([
      '2025-05-05',
      OBSERVED.observedAt,
      OBSERVED.observedAt,
    ]);
  });

  it('is described by constants, and else by what is least', async () => {
    const constants = { id: 'kev', title: 'KEV', authority: 'cisa.gov', year: 2025 };
    expect((await open([], { ...OBSERVED, constants })).definition).toMatchObject({ ...constants, fields: [] });
    expect((await open([notice(1)])).definition).toMatchObject({
      id: 'records',
      title: 'records',
      created_at: OBSERVED.observedAt,
    });
    expect((await open([], {})).definition.created_at).toBe('1970-01-01T00:00:00Z');
    await expect(open([], { constants: { id: 'No id' } })).rejects.toMatchObject({ code: 'invalid_definition' });
  });

  it('reads again what it wrote as NDJSON', async () => {
    const [record] = await recordsOf(
      await open([notice('a/b', { area: 2.5, tags: ['x'], published_at: '2026-01-01' })]),
    );
    const again = await openRecordStream(ndjsonReader(source(JSON.stringify({ ...record, position: 9 }))), {});
    expect(await recordsOf(again)).toEqual([record]);
    expect(again.notes()).toEqual({
      found: [],
      undeclared: new Map(),
      rounded: new Map(),
      missing: new Map(),
      unusedRules: [],
    });
  });
});

describe('values', () => {
  it('that are numbers become the text of a text field, digit by digit', async () => {
    const text =
      '[{"id":12345678901234567890,"title":5,"author":1.5,"facility_id":true,"source_url":"https://example.org/"}]';
    const stream = await openRecordStream(jsonReader(source(text)), OBSERVED);
    expect(await recordsOf(stream)).toMatchObject([
      { id: 'records:12345678901234567890', title: '5', author: '1.5', facility_id: 'true' },
    ]);
  });

  it('keep every digit of a long integer in every type that can hold it', async () => {
    const text = `[${JSON.stringify(notice(1)).slice(0, -1)},"i":12345678901234567890,"t":12345678901234567890,"n":1152921504606846976,"j":[12345678901234567890]}]`;
    const definition = define([
      { name: 'i', type: 'integer' },
      { name: 't', type: 'text' },
      { name: 'n', type: 'number' },
      { name: 'j', type: 'json' },
    ]);
    const stream = await openRecordStream(jsonReader(source(text)), { ...OBSERVED, definition });
    expect((await recordsOf(stream))[0]!.data).toEqual({
      i: '12345678901234567890',
      t: '12345678901234567890',
      n: 2 ** 60,
      j: ['12345678901234567890'],
    });
    const lossy = `[${JSON.stringify(notice(1)).slice(0, -1)},"n":12345678901234567891}]`;
    const refused = await openRecordStream(jsonReader(source(lossy)), { ...OBSERVED, definition });
    await expect(recordsOf(refused)).rejects.toThrow(/data.n must be a number, got 12345678901234567891/);
  });

  it('that are null or absent are null', async () => {
    const [record] = await recordsOf(
      await open([notice(1, { summary: null, content_type: null, version: null, x: null })]),
    );
    expect(record).toMatchObject({ summary: null, content: null, content_type: 'text', version: 1, data: { x: null } });
  });

  it('that a definition does not declare are left out and counted, also inside data', async () => {
    const definition = define([{ name: 'area', type: 'number' }]);
    const stream = await open(
      [
        notice(1, { area: 1, extra: 2 }),
        notice(2, { data: { area: 3, other: 4 } }),
        notice(3, { extra: null, area: 5, data: { area: 6 } }),
      ],
      { ...OBSERVED, definition },
    );
    expect((await recordsOf(stream)).map(({ data }) => data)).toEqual([{ area: 1 }, { area: 3 }, { area: 5 }]);
    expect([...stream.notes().undeclared]).toEqual([
      ['extra', 2],
      ['data.other', 1],
      ['data.area', 1],
    ]);
  });

  it('that no rule of the mapping finds are told', async () => {
    const stream = await open([notice(1, { a: 1 })], {
      ...OBSERVED,
      mapping: parseMapping(['summary=nope,data.b=a,author={a}']),
    });
    expect((await recordsOf(stream))[0]).toMatchObject({ author: '1', data: { b: 1 } });
    expect(stream.notes().unusedRules).toEqual(['summary=nope']);
  });

  it('whose name is composed in one record and decomposed in another are those of one field', async () => {
    const [composed, decomposed] = ['Größe'.normalize('NFC'), 'Größe'.normalize('NFD')];
    const mixed = [notice(1, { [composed]: 1 }), notice(2, { [decomposed]: 2 })];
    for (const records of [mixed, mixed.toReversed()]) {
      const stream = await open(records, OBSERVED);
      expect(stream.definition.fields.map(({ label }) => label)).toEqual([composed]);
      expect((await recordsOf(stream)).map(({ data }) => data.groesse).sort()).toEqual([1, 2]);
    }
  });

  it('of a column with spaces around its name are those of the rule alone', async () => {
    const stream = await open([notice(1, { ' Amount ': 5 }), notice(2, { ' Amount ': 6 })], {
      ...OBSERVED,
      mapping: parseMapping(['data.sum=Amount']),
    });
    expect((await recordsOf(stream)).map(({ data }) => data)).toEqual([{ sum: 5 }, { sum: 6 }]);
  });

  it('of a property that a rule takes do not also fill the core field of that name', async () => {
    const stream = await open([notice(1, { version: '2.1', summary: 'S' })], {
      ...OBSERVED,
      mapping: parseMapping(['data.release=version,content=summary']),
    });
    expect((await recordsOf(stream))[0]).toMatchObject({
      version: 1,
      summary: null,
      content: 'S',
      data: { release: '2.1' },
    });
  });
});

describe('a record is refused', () => {
  const url = 'https://example.org/n';

  it.each<[string, JsonValue, RecordStreamOptions | undefined, string]>([
    [
      'without an id',
      { title: 'T', source_url: url },
      undefined,
      '[1]: id must be the publisher’s key, as text that is not empty, got nothing; say where it is with --map id=SOURCE; where no column identifies a record, give --key row; the record has "title", "source_url"',
    ],
    [
      'with a title that is null',
      notice(1, { title: null }),
      undefined,
      '[1]: title must be text that is not empty, got nothing; say where it is with --map title=SOURCE',
    ],
    [
      'with a relative source_url',
      notice(1, { source_url: '/n' }),
      undefined,
      '[1]: source_url must be an absolute http(s) URL, got "/n"',
    ],
    [
      'with a source_url that runs a script',
      notice(1, { source_url: 'javascript:alert(1)' }),
      undefined,
      '[1]: source_url must be an absolute http(s) URL, got "javascript:alert(1)"',
    ],
    [
      'with a date that is none',
      notice(1, { published_at: '2026-02-30' }),
      undefined,
      '[1]: published_at must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got "2026-02-30"; where it means something else, take it in under another name: --map data.published_at_2=published_at',
    ],
    [
      'with a date that is a number',
      notice(1, { published_at: 1756141459 }),
      undefined,
      '[1]: published_at must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got 1756141459; where it means something else, take it in under another name: --map data.published_at_2=published_at',
    ],
    [
      'with the id of another register',
      notice(1, { id: 'other:1', feed_id: 'other' }),
      undefined,
      '[1]: feed_id must be "records" or absent, got "other"',
    ],
    ['that is no object', 'text', undefined, '[1]: record must be an object, got "text"'],
    ['that is null', null, undefined, '[1]: record must be an object, got null'],
    ['that is an array', [], undefined, '[1]: record must be an object, got []'],
    [
      'that does not fit the definition',
      notice(1, { area: 'large' }),
      { ...OBSERVED, definition: define([{ name: 'area', type: 'number' }]) },
      '[1]: data.area must be a number, got "large"',
    ],
    [
      'whose mapped value does not fit, naming the source',
      notice(1, { at: 'May' }),
      { ...OBSERVED, mapping: parseMapping(['published_at=at']) },
      '[1]: published_at must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got "May"; mapped from "at"',
    ],
    [
      'whose observation has no date',
      notice(1),
      {},
      '[1]: observed_at must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got nothing; give --observed-at, or --map observed_at=SOURCE',
    ],
  ])('%s', async (_title, record, options, expected) => {
    const good = notice('good', { observed_at: '2026-01-01', area: 1, at: '2026-01-01' });
    expect(await refusal([good, record], options)).toEqual({
      code: 'invalid_record',
      message: `file.json: ${expected}`,
    });
  });

  it('when its id came before, naming both places', async () => {
    expect(await refusal([notice('a'), notice('b'), notice('records:a')])).toEqual({
      code: 'duplicate_id',
      message: 'file.json: [2]: id "records:a" is also that of [0]',
    });
    const many = Array.from({ length: 1500 }, (_, index) => notice(index));
    expect((await refusal([...many, notice(3)])).message).toBe('file.json: [1500]: id "records:3" is also that of [3]');
  });

  it('when a property or a type shows up only after the records the fields were found from', async () => {
    const first = Array.from({ length: 12_000 }, (_, index) => notice(index, { n: 1, t: 'a', b: true, j: [] }));
    const late = async (more: Readonly<Record<string, JsonValue>>): Promise<string> =>
      (await refusal([...first, notice('late', more)])).message.replace(/first \d+/, 'first N');
    expect(await late({ extra: 1 })).toBe(
      'file.json: [12000]: the property "extra" occurs in none of the first N records, from which the fields were found; give --definition to name all fields',
    );
    const hint = '; its type was found from the first N records; give --definition to say it';
    expect(await late({ n: 1.5 })).toBe(
      `file.json: [12000]: data.n must be a whole number, as text of digits beyond 9007199254740991, got 1.5${hint}`,
    );
    expect(await late({ t: [1] })).toBe(`file.json: [12000]: data.t must be text, got [1]${hint}`);
    expect(await late({ b: 'x' })).toBe(`file.json: [12000]: data.b must be true or false, got "x"${hint}`);
    const stream = await open([...first, notice('late', { n: null, t: 5, j: 'text' })]);
    expect((await recordsOf(stream)).at(-1)!.data).toEqual({ n: null, t: '5', b: null, j: 'text' });
  });
});

describe('a file is not opened', () => {
  it('without a date of observation from anywhere', async () => {
    expect(await refusal([notice(1)], {})).toEqual({
      code: 'invalid_option',
      message: 'file.json: the records have no observed_at; give --observed-at, or --map observed_at=SOURCE',
    });
  });

  it('with a constant that is no date', async () => {
    for (const observedAt of ['yesterday', '2026-13-01', '2026-01-01 00:00:00', '']) {
      expect(await refusal([notice(1)], { observedAt })).toMatchObject({ code: 'invalid_option' });
    }
  });

  it('with a rule for a field that the definition lacks', async () => {
    const options = {
      ...OBSERVED,
      definition: define([{ name: 'area', type: 'number' }]),
      mapping: parseMapping(['data.aera=x']),
    };
    expect(await refusal([notice(1)], options)).toEqual({
      code: 'invalid_mapping',
      message: expect.stringMatching(
        /^the mapping is not valid: "data\.aera" is not a field, the nearest is area; expected id, .*, area \(the register’s own\)/,
      ) as unknown,
    });
  });
});
