// Registers that can be asked, and filters that ask them: values that meet, and hostile ones. For the tests of finding.
import fc from 'fast-check';
import type { Filter } from '../../../src/register/page.ts';
import { ownFilterName, testsOf } from '../../../src/register/finding/own-filters.ts';
import type { JsonValue } from '../../../src/register/canonical-json.ts';
import type { Field, FieldType, RegisterRecord } from '../../../src/register/record.ts';
import { plainQuery } from './plain-filter.ts';
import { scriptTexts } from './scripts.ts';

/** Every type that can be filterable. */
const TYPES: readonly FieldType[] = [
  ...(['text', 'number', 'decimal', 'integer', 'boolean', 'date', 'datetime', 'url', 'json'] as const),
];

/** Fields of all types under short names, some of them filterable. */
export const askedFields: fc.Arbitrary<readonly Field[]> = fc
  .array(fc.tuple(fc.constantFrom(...TYPES), fc.integer({ min: 0, max: 3 })), { maxLength: 5 })
  .map((types) =>
    types.map(([type, chance], index) => ({
      ...{ name: `f${index}`, label: `F${index}`, type },
      ...(chance > 0 ? { filterable: true as const } : {}),
    })),
  );

const DATES = [
  ...['0001-01-01', '0001-12-31', '1582-10-10', '1799-12-31', '1899-12-31', '1900-01-01', '1969-12-31', '1970-01-01'],
  ...[
    '2024-02-29',
    '2026-03-31',
    '2026-04-01',
    '2026-04-02',
    '2026-05-01',
    '2026-12-31',
    '2099-12-31',
    '2100-01-01',
    '2200-01-01',
    '9999-12-31',
  ],
];
const date = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...DATES) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
      .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`),
  },
);
const time = fc.oneof(
  date,
  fc
    .tuple(
      date,
      fc.constantFrom('00:00:00', '23:59:59', '00:03:00'),
      fc.constantFrom('', '', '.5', '.999', '.999999999', '.000000001', '.0005'),
      fc.constantFrom('Z', 'Z', '+14:00', '-14:00', '+02:00', '-00:30'),
    )
    .map(([day, clock, fraction, offset]) => `${day}T${clock}${fraction}${offset}`),
);

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

const digits = fc.oneof(
  fc.constantFrom(
    ...[
      '0',
      '-0',
      '0.0',
      '1',
      '-1',
      '9',
      '10',
      '12.5',
      '12.50',
      '1999',
      '2000',
      '2026',
      '2026.0001',
      '-2026',
      '9999',
      '9999.5',
    ],
    ...[
      '10000',
      '0.000001',
      '0.0000009999',
      '0.00000100001',
      '-0.0000001',
      '9999999999999999999',
      '10000000000000000000',
    ],
    ...['9007199254740993', '9007199254740992', '-9007199254740993', `1${'0'.repeat(308)}`, `1${'0'.repeat(400)}`],
    ...[`0.${'3'.repeat(100)}`, `0.${'3'.repeat(99)}4`, `${'9'.repeat(100)}.9`, `-0.${'0'.repeat(400)}1`],
  ),
  fc.integer({ min: -3000, max: 3000 }).map(String),
  fc.stringMatching(/^-?[1-9]\d{0,8}\.\d{1,4}$/),
);
const doubles = fc.oneof(
  fc.constantFrom(0, -0, 1e308, -1e308, 5e-324, 1e21, 1e-7, 999999.9999999999, 9.9e18, 1e19, 2026, 0.1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -3000, max: 3000 }),
);

/** Texts, and others that differ from them in case alone. */
const casedTexts = fc.oneof(
  scriptTexts(4),
  fc.constantFrom('NL', 'nl', 'Straße', 'STRASSE', 'ΟΔΟΣ', 'οδος', 'CWE-22', 'cwe-22', 'ǅ', 'ı', 'I', 'İ', 'ΐ', 'ꭰ'),
);

/** What else is in fields of type json. */
const jsonValues: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.boolean(),
  casedTexts.map((text) => ({ kind: text, parts: [text, [text], 1, null] })),
  casedTexts.map((text) => [null, 1, { of: text }, text]),
);

/** A shown value of a field, as stores give it. */
function valuesOf(type: FieldType): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'number':
      return doubles;
    case 'decimal':
      return digits;
    case 'integer':
      return digits
        .filter((text) => /^(?:0|-?[1-9]\d*)$/.test(text))
        .map((text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text));
    case 'boolean':
      return fc.boolean();
    case 'date':
      return date;
    case 'datetime':
      return time;
    case 'url':
      return fc.constantFrom('https://example.org/a', 'https://example.org/b?c=1,2');
    case 'json':
      return fc.oneof({ weight: 4, arbitrary: fc.array(casedTexts, { maxLength: 3 }) }, casedTexts, jsonValues);
    default:
      return casedTexts;
  }
}

/** HTML that {@link scriptTexts} is put in. */
const html = fc.array(
  fc.oneof(scriptTexts(3).map(escaped), fc.constantFrom('<br>', '<b>', '</b>', '&eacute;', '&amp;')),
  {
    maxLength: 6,
  },
);

function escaped(text: string): string {
  return text.replace(/[<&]/g, ' ');
}

const stated = fc.constantFrom('adopted', 'draft', 'ДСТУ', 'a,b', '東京', '');

/** Records of a register with these fields, without a position. Keys are unique if their numbers are. */
export function askedRecord(fields: readonly Field[], number: number): fc.Arbitrary<RegisterRecord> {
  const data = fc.tuple(
    ...fields.map(({ name, type }) =>
      fc.option(valuesOf(type), { freq: 5 }).map((value): readonly [string, JsonValue] => [name, value]),
    ),
  );
  return fc
    .record({
      key: fc.constantFrom('', ' a', '/Б').map((text) => `${number}${text}`),
      title: scriptTexts(6).map((text) => `${text}t`),
      summary: fc.option(scriptTexts(6)),
      content: fc.option(
        fc.oneof(
          scriptTexts(20),
          html.map((pieces) => pieces.join('')),
        ),
      ),
      content_type: fc.constantFrom('text', 'html'),
      author: fc.option(scriptTexts(2)),
      document_type: fc.option(stated),
      facility_id: fc.option(stated),
      published_at: fc.option(time),
      observed_at: time,
      updated_at: fc.option(time.filter((text) => text.length > 10)),
      data: data.map((entries) => Object.fromEntries(entries)),
    })
    .map((record) => ({
      ...{
        id: `permits:${number}`,
        feed_id: 'permits',
        source_url: 'https://example.org/',
        version: 1,
        position: null,
      },
      ...record,
      content: record.content_type === 'html' && record.content !== null ? escapedText(record.content) : record.content,
    }));
}

/** HTML without any markup but that which the plain filter knows. */
function escapedText(content: string): string {
  return content.replace(/<(?!br>|\/?b>)|&(?!eacute;|amp;)/g, ' ');
}

/** A filter that every register with these fields knows, of values that these records have and others. */
export function askedFilter(fields: readonly Field[], records: readonly RegisterRecord[]): fc.Arbitrary<Filter> {
  const core = fc.record(
    {
      key: fc.array(fc.constantFrom('x', ...records.map(({ key }) => key)), { minLength: 1, maxLength: 3 }),
      document_type: fc.oneof(stated, fc.array(stated, { minLength: 1, maxLength: 3 })),
      facility_id: stated,
      published_since: time,
      published_until: time,
      observed_since: time,
      observed_until: time,
      updated_since: time,
      updated_until: time,
      q: queryOf(fields, records),
    },
    { requiredKeys: [] },
  );
  const own = fields
    .filter(({ filterable }) => filterable)
    .flatMap(({ name, type }) =>
      testsOf(type).map((test) => {
        const items = records.flatMap(({ data }) => itemsHeld(data[name] ?? null)).map(String);
        // The same in other letters is another value, or not.
        const held =
          type === 'text' || type === 'json'
            ? items.flatMap((one) => [one, one.toUpperCase(), one.toLowerCase()])
            : items;
        const exact = type === 'json' ? casedTexts : valuesOf(type).map(String);
        const text = test === 'min' || test === 'max' ? digits : test === 'exact' ? exact : time;
        const value = fc
          .oneof(text, ...(held.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...held) }] : []))
          // An exact number is asked for as JSON writes it, a double without more digits than it has.
          .filter((one) => type !== 'number' || test !== 'exact' || Number.isFinite(Number(one)));
        return [
          ownFilterName(name, test),
          test === 'exact' ? fc.array(value, { minLength: 1, maxLength: 3 }) : value,
        ] as const;
      }),
    );
  // Few at a time: all together match nothing.
  const some = fc
    .tuple(core, fc.record(Object.fromEntries<fc.Arbitrary<string | string[]>>(own), { requiredKeys: [] }))
    .map(([one, other]): Filter => ({ ...one, ...other }));
  return fc.tuple(some, fc.array(fc.nat(30), { minLength: 1, maxLength: 3 })).map(([filter, at]) => {
    const entries = Object.entries(filter);
    return Object.fromEntries(
      at.map((index) => entries[index % entries.length]).filter((entry) => entry !== undefined),
    );
  });
}

/** A value, or those in a list. */
function itemsHeld(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value.flatMap(itemsHeld) : value === null || typeof value === 'object' ? [] : [value];
}

/** A query of pieces of texts that are there, and of others, that has a word. */
function queryOf(fields: readonly Field[], records: readonly RegisterRecord[]): fc.Arbitrary<string> {
  const texts = records.flatMap(({ title, summary, content, author, key, data }) => [
    ...[title, summary, content, author, key],
    ...fields.flatMap(({ name }) => itemsHeld(data[name] ?? null)),
  ]);
  const held = texts.filter((text) => typeof text === 'string');
  const piece = fc.oneof(
    scriptTexts(2),
    ...(held.length > 0
      ? [
          fc
            .tuple(fc.constantFrom(...held), fc.nat(40), fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 8 })))
            .map(([text, at, length]) => {
              const characters = Array.from(text);
              const start = characters.length === 0 ? 0 : at % characters.length;
              return characters.slice(start, start + length).join('');
            }),
        ]
      : []),
  );
  const part = fc
    .tuple(fc.constantFrom('', '', '', '-', '"', '-"', '“'), piece, fc.constantFrom('', '', '*', '*,'))
    .map(([begin, text, star]) => (begin.endsWith('"') ? `${begin}${text}"` : `${begin}${text}${star}`));
  return fc
    .array(part, { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(' '))
    .filter((query) => {
      const count = plainQuery(query).flatMap(({ words }) => words).length;
      return count > 0 && count <= 32;
    });
}
