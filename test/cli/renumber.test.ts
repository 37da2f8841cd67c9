// `gazette record renumber`: records get the keys that a table of two columns says.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

let at: string;
let store: string;

const run = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await gazette([...args, '--store', store]);
  return { code, out: stdout.toString(), err: stderr };
};
const renumber = async (map: string, ...args: readonly string[]) => {
  await writeFile(join(at, 'map.csv'), map);
  return run('record', 'renumber', 'permits', '--map', join(at, 'map.csv'), ...args);
};
const keyOf = async (key: string): Promise<string> => {
  const { out } = await run('record', 'show', `permits:${key}`, '--json');
  return (JSON.parse(out) as { record: { key: string } }).record.key;
};

beforeEach(async () => {
  at = await folder();
  store = join(at, 'store.db');
  const file = join(at, 'permits.csv');
  await writeFile(file, 'id,title,source_url\na,One,https://example.org/a\nold,Two,https://example.org/b\n');
  await run('register', 'add', 'permits', '--title', 'Permits');
  await run('import', 'permits', file, '--order', 'oldest-first');
});

it.each([
  ['without a header', 'a,x\n'],
  ['with one', 'from,to\na,x\n'],
  ['with one in German, as Excel writes it', '\ufeffAktenzeichen alt;Aktenzeichen neu\r\na;x\r\n'],
  ['of tabs, with words of its own', 'Key (before)\tKey (now)\na\tx\n'],
  ['that names the record by its id', 'permits:a,x\n'],
])('takes a table %s', async (_, map) => {
  const { code, out, err } = await renumber(map);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/ {2}completed .* new keys \(\S*map\.csv\) {2}changed 1\n$/);
  expect(await keyOf('a')).toBe('x');
});

it('takes a first row for a record’s where there is one with its key', async () => {
  expect(await renumber('old,new\na,x\n')).toMatchObject({ code: 0 });
  expect([await keyOf('old'), await keyOf('a')]).toEqual(['new', 'x']);
});

it('keeps a proposal, which imports show, approve and undo', async () => {
  expect((await renumber('a,x\n', '--propose')).out).toMatch(/ {2}proposed /);
  expect((await run('imports', 'show', 'permits', '2')).out).toContain(
    'key: changes in 1 record\n  permits:a: "a" → "x"\n',
  );
  expect(await keyOf('a')).toBe('a');
  await run('imports', 'approve', 'permits', '2');
  expect(await keyOf('a')).toBe('x');
  expect((await run('record', 'show', 'permits:x')).err).toContain('the record with this key has the id "permits:a"');
  await run('imports', 'undo', 'permits', '2');
  expect(await keyOf('a')).toBe('a');
});

it('is kept by a backup, whose imports find the records by their keys', async () => {
  await renumber('a,old\nold,x\n');
  const copy = join(at, 'copy.db');
  await run('backup', copy);
  store = copy;
  expect([await keyOf('a'), await keyOf('old')]).toEqual(['old', 'x']);
  const file = join(at, 'permits.csv');
  await writeFile(file, 'id,title,source_url\nold,One,https://example.org/a\nx,Two,https://example.org/b\n');
  expect((await run('import', 'permits', file)).out).toContain('unchanged 2');
});

describe('a map', () => {
  it.each([
    [
      'with a key of no record',
      'a,x\nq,y\n',
      'line 2: no record of register "permits" has the key "q" (unknown_record)',
    ],
    ['with a first row that no record has', 'q1,y\na,x\n', 'line 1: no record of register "permits" has the key "q1"'],
    ['with a row of one value', 'a,x\nold,\n', 'line 2: a row must have two values'],
    ['with three columns', 'a,x,1\n', 'line 1: a row must have two values'],
    ['with a new key twice', 'a,x\nold,x\n', 'line 2: the new key "x" is also that of'],
    ['with a record twice', 'a,x\npermits:a,y\n', 'line 2: record "permits:a" is also that of'],
    [
      'with a key that another keeps',
      'a,old\n',
      'line 1: the new key "old" of record "permits:a" is that of record "permits:old"',
    ],
    ['with an id as a new key', 'a,permits:x\n', 'line 1: the new key must be a key of 1..200 characters'],
    ['without rows', 'old key,new key\n', 'there is no row with an old key and a new one (invalid_input)'],
  ])('%s is refused', async (_, map, message) => {
    const { code, err } = await renumber(map);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    expect([await keyOf('a'), await keyOf('old')]).toEqual(['a', 'old']);
  });
});
