// What `gazette import` leaves alone: a store in a dry run, and exit code 0 where nothing of a file could be used.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

const record = (id: number, more: object = {}) => ({
  id: String(id),
  title: `Title ${id}`,
  source_url: 'https://example.org/',
  published_at: `2026-01-0${id}`,
  ...more,
});

/** A folder with a store that has the empty register `r`, and a file of these records. */
async function place(records: readonly unknown[]) {
  const path = await folder();
  const [store, file] = [join(path, 'store.db'), join(path, 'records.json')];
  await writeFile(file, JSON.stringify(records));
  expect(await gazette(['register', 'add', 'r', '--title', 'R', '--store', store])).toMatchObject({ code: 0 });
  const take = (...options: readonly string[]) => gazette(['import', 'r', file, '--store', store, ...options]);
  return { path, store, file, take };
}

describe('gazette import --dry-run', () => {
  it('writes nothing: no order, no fields, no lease, no entry in the log, not one byte', async () => {
    const { path, store, file, take } = await place([record(3, { amount: 5 }), record(2), record(1)]);
    const before = await readFile(store);
    expect(await take('--dry-run')).toMatchObject({
      code: 0,
      stdout: Buffer.from('r: would be added 3, changed 0, unchanged 0, withdrawn 0, restored 0, refused 0\n'),
    });
    expect(await readFile(store)).toEqual(before);

    expect(await take()).toMatchObject({ code: 0 });
    await writeFile(file, JSON.stringify([record(1, { title: 'Changed' }), record(4)]));
    const filled = await readFile(store);
    expect(await take('--dry-run', '--withdraw-missing', '--order', 'oldest-first')).toMatchObject({
      code: 0,
      stdout: Buffer.from(
        'r: would be added 1, changed 1, unchanged 0, withdrawn 2, restored 0, refused 0\nr: would change title 1\n',
      ),
    });
    expect(await readFile(store)).toEqual(filled);
    expect((await readdir(path)).sort()).toEqual(['records.json', 'store.db']);
  });
});

describe('gazette import --withdraw-missing', () => {
  it('is refused with the numbers where the file lacks much, as its dry run is, until --accept absences says so', async () => {
    const { file, take } = await place(Array.from({ length: 100 }, (_, id) => record(1, { id: String(id) })));
    expect(await take()).toMatchObject({ code: 0 });
    await writeFile(
      file,
      JSON.stringify([record(1, { title: 'Changed', id: '1' }), record(1, { id: '2', title: 'X' })]),
    );
    const refusal =
      `gazette: ${file}: nothing was withdrawn or changed; the file lacks 98 of the 100 live records of register "r", ` +
      'and more than 10 that are more than 10 % are withdrawn only where --accept absences says that it is meant';
    const dry = await take('--withdraw-missing', '--dry-run', '--json');
    expect([dry.code, dry.stderr]).toEqual([1, expect.stringContaining(refusal)]);
    expect(JSON.parse(dry.stdout.toString())).toMatchObject({
      withdrawn: 98,
      changed: 2,
      changed_fields: { title: 2 },
    });
    const refused = await take('--withdraw-missing', '--json');
    expect([refused.code, refused.stderr, refused.stdout.toString()]).toEqual([
      1,
      expect.stringContaining(refusal),
      '',
    ]);
    expect((await take('--accept', 'absence')).code).toBe(2);
    expect((await take('--withdraw-missing', '--dry-run', '--accept', 'absences')).code).toBe(0);
    const taken = await take('--withdraw-missing', '--accept', 'absences', '--json');
    expect([taken.code, JSON.parse(taken.stdout.toString())]).toEqual([
      0,
      expect.objectContaining({ withdrawn: 98, changed: 2, changed_fields: { title: 2 }, proposed: false }),
    ]);
  });
});

describe('gazette import --skip-invalid', () => {
  it('fails where every record was refused, after it has said so', async () => {
    const { file, take } = await place([{ id: 1 }, { id: 2 }]);
    const told = [
      `gazette: refused 2 records; see ${file}.rejects.ndjson for the reasons`,
      `gazette: ${file}: all 2 records of the file were refused (invalid_input)`,
    ];
    for (const options of [[], ['--dry-run']]) {
      const run = await take('--skip-invalid', '--json', ...options);
      expect(run.code).toBe(1);
      expect(run.stderr.split('\n')).toEqual(expect.arrayContaining(told));
      expect(JSON.parse(run.stdout.toString())).toMatchObject({ added: 0, refused: 2 });
    }
    await writeFile(file, JSON.stringify([{ id: 1 }, record(2)]));
    const some = await take('--skip-invalid', '--json');
    expect([some.code, JSON.parse(some.stdout.toString())]).toEqual([
      0,
      expect.objectContaining({ added: 1, refused: 1 }),
    ]);
  });
});
