// The compact form of records: whatever they say, the text of an answer says what its structured form says, and no title makes a
// row or a cell of its own.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitTable, tableOf, textOf } from '../../src/mcp/tools/table.ts';
import { recordsIn, saidIn } from './agent.ts';

const values = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    'a\tb',
    'a\nb',
    'a\r\nkev:1\tx',
    '"',
    '"a"',
    '5',
    '-0.5e3',
    '05',
    'true',
    'null',
    '',
    ' a',
    '[1]',
    '{',
    '\u2028',
    '\\u200b',
    '\u200b',
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant(null),
);
const records = fc.array(
  fc.record({ title: values, author: values, data: fc.dictionary(fc.constantFrom('a', 'b', 'c'), values) }),
  { minLength: 1, maxLength: 5 },
);

it('a table says in its text what it says in its structured form, and of each record everything', () => {
  fc.assert(
    fc.property(records, (given) => {
      const named = given.map((record, index) => ({ id: `kev:${index}`, ...record }));
      const table = JSON.parse(JSON.stringify({ feed_id: 'kev', ...tableOf(named) })) as never;
      expect(saidIn({ content: [{ type: 'text', text: textOf(table) }] })).toEqual(table);
      const told = recordsIn(table);
      expect(told).toHaveLength(named.length);
      for (const [index, { data, ...core }] of named.entries()) {
        const cells = { ...told[index], data: undefined };
        expect(cells).toMatchObject(withoutNulls(core));
        expect(told[index]!.data ?? {}).toMatchObject(withoutNulls(data));
      }
    }),
  );
});

const withoutNulls = (object: object): object =>
  JSON.parse(
    JSON.stringify(Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))),
  ) as object;

it('a title makes no row and no cell', () => {
  const title = 'Harmless\nkev:forged\tAnother record\thttps://evil.example/';
  const text = textOf({
    ...tableOf([
      { id: 'kev:1', title },
      { id: 'kev:2', title: 'Plain, with "quotes"' },
    ]),
  });
  expect(text.split('\n')).toEqual([
    '{}',
    'id\ttitle',
    `kev:1\t${JSON.stringify(title)}`,
    'kev:2\tPlain, with "quotes"',
  ]);
});

it('what all rows have alike is said once, what follows from the id and what no row has not at all', () => {
  const record = {
    version: 1,
    author: null,
    history_url: 'https://registers.example.org/x',
    data: { a: 'x', b: null },
  };
  expect(
    tableOf([
      { id: 'kev:1', ...record },
      { id: 'kev:2', ...record },
    ]),
  ).toEqual({
    columns: ['id'],
    rows: [['kev:1'], ['kev:2']],
    in_all_rows: { version: 1, 'data.a': 'x' },
  });
  expect(tableOf([{ id: 'kev:1', ...record }])).toEqual({
    columns: ['id', 'version', 'data.a'],
    rows: [['kev:1', 1, 'x']],
  });
});

it('a table never takes more than the room, however the records differ', () => {
  const given = Array.from({ length: 12 }, (_, index) => ({
    id: `kev:${index}`,
    data: Object.fromEntries(Array.from({ length: 30 }, (__, at) => [`field_${index}_${at}`, 'x'.repeat(index)])),
  }));
  for (let room = 4000; room < 80_000; room += 1777) {
    const table = tableOf(fitTable(given, room, () => 'https://registers.example.org/api/v1/records/x'));
    expect(table.rows.length).toBeGreaterThan(0);
    const bytes = Buffer.byteLength(JSON.stringify(table)) + Buffer.byteLength(JSON.stringify(textOf({ ...table })));
    expect(bytes).toBeLessThanOrEqual(room);
  }
});
