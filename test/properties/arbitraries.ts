// fast-check arbitraries for whole registers: definitions with any field types, records that fit them (and lack or add
// members, as an embedder's may), any Unicode, page boundaries anywhere. Shared by the tests of every format.
import fc from 'fast-check';
import type { DocumentHead } from '../../src/formats/format.ts';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import { FIELD_TYPES } from '../../src/register/definition.ts';
import { recordId } from '../../src/register/identity.ts';
import type { Page } from '../../src/register/page.ts';
import type { Field, FieldType, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { isHttpUrl } from '../../src/register/url.ts';
import { tries } from '../effort.ts';

/** Everything a document is made of. `pages` holds `records`, in order, cut anywhere, empty pages included. */
export interface RegisterSample {
  readonly definition: RegisterDefinition;
  readonly records: readonly RegisterRecord[];
  readonly pages: readonly Page[];
  readonly head: DocumentHead;
}

/** What a sample may be narrowed to. */
export interface SampleLimits {
  /** Distinct records, 8 by default; one sample in ten repeats them under new ids, to several hundred. */
  readonly maxRecords?: number;
  /** Whether samples of several hundred records occur. Default true. */
  readonly large?: boolean;
}

/** Runs per property: ten thousand, and fifty of them in `npm test`. */
export const RUNS: number = tries(50, 10_000);

/** Pieces of text that formats, their escapes and their readers stumble over. */
const PITFALLS = [
  ['\r\n', '\r', '\n', '\t', ' ', '  ', '\u00a0', '\u0085', '\u2028', '\u2029', '\ufeff', '\ufffd', '\ufffe', '\uffff'],
  [',', ';', '|', '"', '""', "'", "''", '\\', '=', '+', '-', '@', '＝', '＋', '－', '＠', '=1+1', "'=1", '-5', '0x1F'],
  ['<', '>', '&', ']]>', '&lt;', '&amp;', '&#13;', '&#x0;', '<![CDATA[', '-->', '<?x?>', '<b>', '</item>', '%', '{}'],
  [
    '_x0041_',
    '_x005F_',
    '_x005f_x0041_',
    '_x000D_',
    '_x0041',
    '_x000D',
    '_x',
    '_',
    '\\n',
    '\\u0000',
    'null',
    'NaN',
    'true',
    '__proto__',
  ],
  ['\u{1f600}', '\u{10ffff}', '\u{1fffe}', 'e\u0301', 'ß', 'é', '漢字', 'שלום', '\u202e'],
].flat();

/**
 * Any one character, from U+0000 to U+10FFFF: a unit of texts. It is what fast-check calls `binary`, which takes a second and
 * 190 MB in every process that makes one.
 */
export const character: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10f7ff }).map(
  (place) => String.fromCodePoint(place < 0xd800 ? place : place + 0x800),
  (text) => {
    const code = typeof text === 'string' && text.isWellFormed() ? text.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('not one character');
    return code < 0xd800 ? code : code - 0x800;
  },
);

const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
const control = fc
  .oneof(fc.integer({ min: 0, max: 0x1f }), fc.integer({ min: 0x7f, max: 0x9f }))
  .map((unit) => String.fromCharCode(unit));

const piece: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }) },
  { weight: 4, arbitrary: fc.constantFrom(...PITFALLS) },
  { weight: 1, arbitrary: control },
  { weight: 1, arbitrary: surrogate },
  { weight: 2, arbitrary: fc.string({ unit: character, minLength: 1, maxLength: 4 }) },
);

/** Any sequence of UTF-16 units, rich in what formats stumble over; lone surrogates and U+0000 included. */
export function texts(maxPieces = 6): fc.Arbitrary<string> {
  return fc.array(piece, { maxLength: maxPieces }).map((pieces) => pieces.join(''));
}

/** Texts as {@link texts}, but never empty. */
export function nonEmptyTexts(maxPieces = 6): fc.Arbitrary<string> {
  return fc.array(piece, { minLength: 1, maxLength: maxPieces }).map((pieces) => pieces.join(''));
}

/** The same without lone surrogates: what a store takes in. */
export function wellFormed(arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return arbitrary.map((text) => text.toWellFormed());
}

/** Gives the same arbitrary at each call: to make one takes longer than to draw a value of it. */
function once<T>(make: () => fc.Arbitrary<T>): () => fc.Arbitrary<T> {
  let made: fc.Arbitrary<T> | undefined;
  return () => (made ??= make());
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Calendar dates from 0001-01-01 to 9999-12-31, often around the limits of spreadsheets. */
export const dates: () => fc.Arbitrary<string> = once(() => {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .integer({ min: Date.UTC(1890, 0, 1) / 86_400_000, max: Date.UTC(2100, 0, 1) / 86_400_000 })
        .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...['0001-01-01', '0099-12-31', '1582-10-10', '1899-12-31', '1900-01-01', '1900-02-28', '1900-03-01'],
        ...['1904-01-01', '1969-12-31', '2000-02-29', '2038-01-19', '9999-12-31'],
      ),
    },
  );
});

/** RFC 3339 date-times: no fraction or up to nine digits of it, `Z` or any offset XML Schema allows. */
export const dateTimes: () => fc.Arbitrary<string> = once(() => {
  const offset = fc.oneof(
    { weight: 3, arbitrary: fc.constant('Z') },
    {
      weight: 1,
      arbitrary: fc.integer({ min: -840, max: 840 }).map((minutes) => {
        const size = Math.abs(minutes);
        return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
      }),
    },
  );
  const fraction = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.stringMatching(/^\.\d{1,9}$/) },
  );
  return fc
    .tuple(dates(), fc.nat(86_399), fraction, offset)
    .map(
      ([date, second, digits, zone]) =>
        `${date}T${twoDigits(Math.floor(second / 3600))}:${twoDigits(Math.floor(second / 60) % 60)}:${twoDigits(second % 60)}${digits}${zone}`,
    );
});

/** Dates and date-times: what a field of type `datetime` and the core dates may hold. */
export const times: () => fc.Arbitrary<string> = once(() => {
  return fc.oneof(dates(), dateTimes());
});

/** URLs gazette accepts as a source: absolute, http(s), with what links stumble over; some too long for a spreadsheet's link. */
export const urls: () => fc.Arbitrary<string> = once(() => {
  const tail = fc.constantFrom(
    ...[
      '',
      '?a=1&b=2',
      "?q='(x)'",
      '?d=2026;e=1,2',
      '#frag',
      '/%E6%BC%A2?x=%3C%26',
      '/漢字/é',
      '?&lt;=_x0041_',
      '/=+-@',
      ...['/[1]?a[]=2', '/%zz?100%', '#a#b', '/a/../é', '?ключ=値'],
    ],
    `?long=${'x'.repeat(2100)}`,
  );
  const host = fc.oneof(
    { weight: 4, arbitrary: fc.domain() },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[
          'blåbær.example',
          'ΑΒΓ.example',
          '漢字。example',
          'a_b.example',
          'a..b.example',
          '_a.example',
          "it's.example",
        ],
        ...[
          '%61.example',
          'a%22b.example',
          '[2001:DB8::1]:8080',
          '127.0.0.1:65535',
          'u:p@a@example.org',
          'example.org.',
        ],
        `${'x'.repeat(64)}.example`,
      ),
    },
  );
  return fc
    .tuple(fc.constantFrom('http', 'https', 'HTTPS'), host, tail)
    .map(([scheme, host, rest]) => `${scheme}://${host}${rest.startsWith('/') ? '' : '/'}${rest}`)
    .filter(isHttpUrl);
});

/** Numbers of every kind a double has, -0, NaN and the infinities included. */
export const numbers: () => fc.Arbitrary<number> = once(() => {
  return fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(
      0,
      -0,
      NaN,
      Infinity,
      -Infinity,
      0.1,
      1e21,
      1e-7,
      5e-324,
      Number.MAX_VALUE,
      Number.MAX_SAFE_INTEGER,
    ),
  );
});

/** Whole numbers: safe ones as numbers, any as text of digits, as a field of type `integer` holds them. */
export const integers: () => fc.Arbitrary<number | string> = once(() => {
  return fc.oneof(
    fc.maxSafeInteger().map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.constantFrom(0, -5, 999_999_999_999_999, -1_000_000_000_000_000, Number.MAX_SAFE_INTEGER),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  );
});

/** JSON values, nested, with any text in them, normalised as records keep them. */
export const jsonValues: () => fc.Arbitrary<JsonValue> = once(() => {
  return fc
    .oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(texts(2), texts(2), { maxKeys: 3 }), texts(3), fc.integer())
    .map((value) => JSON.parse(canonicalJson(value as JsonValue)) as JsonValue);
});

/** Exact numbers as text of digits: short ones, long ones, trailing zeros, both zeros. */
export const decimals: () => fc.Arbitrary<string> = once(() => {
  return fc.oneof(
    fc.stringMatching(/^-?(?:0|[1-9]\d{0,11})(?:\.\d{1,12})?$/),
    fc.stringMatching(/^-?[1-9]\d{10,30}\.\d{1,30}$/),
    fc.constantFrom(
      ...['0', '-0', '0.0', '12.50', '12345678901234567.89', '0.1234567890123456789', '9007199254740993'],
      ...['999999999999999', '1000000000000000', '1234567890123450', '-0.000000000000001', `1${'0'.repeat(400)}`],
    ),
  );
});

/** A value that fits a field of this type; not null. */
export function fieldValues(type: FieldType): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'text':
      return texts();
    case 'number':
      return numbers();
    case 'decimal':
      return decimals();
    case 'integer':
      return integers();
    case 'boolean':
      return fc.boolean();
    case 'date':
      return dates();
    case 'datetime':
      return times();
    case 'url':
      return urls();
    case 'json':
      return jsonValues();
  }
}

/** A definition's own fields: any types, names that include properties every object inherits. */
export const fields: () => fc.Arbitrary<readonly Field[]> = once(() => {
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.stringMatching(/^[a-z][a-z0-9_]{0,7}$/).map((text) => `f_${text}`) },
    { weight: 1, arbitrary: fc.constantFrom('constructor', 'xml_lang', 'x0041_', 'z'.repeat(64)) },
  );
  const field = fc
    .tuple(name, nonEmptyTexts(2), fc.constantFrom(...FIELD_TYPES), fc.option(nonEmptyTexts(2)))
    .map(([name, label, type, description]): Field => ({
      name,
      label,
      type,
      ...(description === null ? {} : { description }),
    }));
  return fc.uniqueArray(field, { maxLength: 6, selector: (item) => item.name });
});

/** Definitions that can also head a feed: they have an authority and a year, or a uuid. */
export const definitions: () => fc.Arbitrary<RegisterDefinition> = once(() => {
  return fc
    .record({
      id: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,11}$/),
      title: nonEmptyTexts(3),
      description: texts(3),
      language: fc.constantFrom(null, 'en', 'de-CH', 'zh-Hant'),
      author: fc.option(nonEmptyTexts(3)),
      rights: fc.option(nonEmptyTexts(3)),
      homepage: fc.option(urls()),
      created_at: dateTimes(),
      ids: fc.oneof(
        fc.record({
          uuid: fc.option(fc.uuid()),
          authority: fc.constantFrom('example.org', 'registry@example.org'),
          year: fc.integer({ min: 1970, max: 9999 }),
        }),
        fc.record({ uuid: fc.uuid(), authority: fc.constant(null), year: fc.constant(null) }),
      ),
      fields: fields(),
    })
    .map(({ ids, ...definition }) => ({ ...definition, ...ids }));
});

/** Values for `data`: what the definition declares, now and then null or absent, now and then a member it does not know. */
function dataOf(definition: RegisterDefinition): fc.Arbitrary<Record<string, JsonValue>> {
  const member = (field: Field): fc.Arbitrary<readonly [string, JsonValue] | null> =>
    fc.oneof(
      { weight: 8, arbitrary: fieldValues(field.type).map((value) => [field.name, value] as const) },
      { weight: 1, arbitrary: fc.constant([field.name, null] as const) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  const undeclared = fc.option(
    texts(2).map((value) => ['undeclared', value] as const),
    { freq: 9 },
  );
  return fc
    .tuple(undeclared, ...definition.fields.map(member))
    .map((members) => Object.fromEntries(members.filter((item) => item !== null)));
}

const key: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[A-Za-z0-9._-]{1,12}$/) },
  { weight: 1, arbitrary: fc.string({ unit: character, minLength: 1, maxLength: 8 }) },
);

/** Records that fit the definition, without a position. */
export function recordsOf(definition: RegisterDefinition): fc.Arbitrary<RegisterRecord> {
  const named = fc.record({
    key,
    feed_id: fc.constant(definition.id),
    title: nonEmptyTexts(),
    summary: fc.option(texts()),
    content: fc.option(texts(10)),
    content_type: fc.constantFrom('text', 'html'),
    author: fc.option(texts(2)),
    document_type: fc.option(texts(2)),
    facility_id: fc.option(texts(2)),
    source_url: urls(),
    published_at: fc.option(times()),
    observed_at: times(),
    updated_at: fc.option(times()),
    version: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    position: fc.constant(null),
    data: dataOf(definition),
  });
  return named.map((record) => ({ id: recordId(definition.id, record.key), ...record }));
}

/** `records` cut into pages anywhere: none at all, empty ones, one with everything. Walks end with `nextOffset: null`. */
export function pagesOf(records: readonly RegisterRecord[], asOf: number | null = null): fc.Arbitrary<readonly Page[]> {
  const cuts = fc.array(fc.nat(records.length), { maxLength: 6 });
  return cuts.map((places) => {
    const sorted = [0, ...places.sort((a, b) => a - b), records.length];
    return sorted.slice(1).map((end, index): Page => ({
      records: records.slice(sorted[index], end),
      nextOffset: index === sorted.length - 2 ? null : end + index + 1,
      asOf,
    }));
  });
}

/** Heads of a register's documents, with and without links, filter and pages for people. */
export function headsOf(definition: RegisterDefinition, asOf: number | null = null): fc.Arbitrary<DocumentHead> {
  const filter = fc.record({ document_type: nonEmptyTexts(2), facility_id: nonEmptyTexts(2) }, { requiredKeys: [] });
  const links = fc.record(
    { self: urls(), first: urls(), next: urls(), alternate: urls(), list: urls() },
    { requiredKeys: [] },
  );
  return fc
    .tuple(fc.option(dateTimes()), fc.option(filter), fc.option(links), fc.boolean())
    .map(([lastChange, filterOrNull, linksOrNull, withPages]) => ({
      definition,
      lastChange,
      asOf,
      ...(filterOrNull === null ? {} : { filter: filterOrNull }),
      ...(linksOrNull === null ? {} : { links: linksOrNull }),
      ...(withPages ? { recordUrl: (record: RegisterRecord) => `https://example.org/records/${record.id}` } : {}),
    }));
}

/** Whole registers: definition, records with unique ids, their pages and a head. */
export function registers(limits: SampleLimits = {}): fc.Arbitrary<RegisterSample> {
  const { maxRecords = 8, large = true } = limits;
  const copies = fc.oneof(
    { weight: 9, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: large ? 50 : 2 }) },
  );
  return definitions()
    .chain((definition) => {
      const distinct = fc.uniqueArray(recordsOf(definition), {
        maxLength: maxRecords,
        selector: (record) => record.id,
      });
      return fc.tuple(fc.constant(definition), distinct, copies, fc.boolean());
    })
    .chain(([definition, distinct, times, placed]) => {
      const records = repeat(distinct, times).map((record, index, all) =>
        placed ? { ...record, position: all.length - index } : record,
      );
      const asOf = placed ? records.length : null;
      return fc
        .tuple(pagesOf(records, asOf), headsOf(definition, asOf))
        .map(([pages, head]) => ({ definition, records, pages, head }));
    });
}

/** The records `times` over; copies get ids of their own: the index at the end keeps them apart. */
function repeat(records: readonly RegisterRecord[], times: number): RegisterRecord[] {
  if (times === 1) return [...records];
  return Array.from({ length: times }, (_, copy) =>
    records.map((record, index) => {
      const suffix = `.${copy}.${index}`;
      return { ...record, id: record.id + suffix, key: record.key + suffix };
    }),
  ).flat();
}
