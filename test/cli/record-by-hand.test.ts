// `gazette record correct`, `withdraw` and `restore`: one record is worked on by hand.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

const HEAD = 'id,title,source_url,amount,when,note';
const ROW = 'a,Old,https://example.org/a,"1,5",2026-01-02,kept';

let file: string;
let store: string;

const run = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await gazette([...args, '--store', store]);
  return { code, out: stdout.toString(), err: stderr };
};
const done = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await run(...args);
  expect(code, err).toBe(0);
  return out;
};
const shown = async (): Promise<{ state: string; record: { title: string; data: object }; versions: object[] }> =>
  JSON.parse(await done('record', 'show', 'permits:a', '--json')) as never;

beforeEach(async () => {
  const at = await folder();
  [file, store] = [join(at, 'permits.csv'), join(at, 'store.db')];
  const definition = join(at, 'definition.json');
  const fields = [
    { name: 'amount', type: 'decimal' },
    { name: 'when', type: 'date' },
  ];
  await writeFile(definition, JSON.stringify({ fields }));
  await writeFile(file, `${HEAD}\n${ROW}\n`);
  await done('register', 'add', 'permits', '--title', 'Permits', '--definition', definition);
  await done('import', 'permits', file, '--decimal-comma');
});

it('corrects core and own fields, keeps the rest of the statement, and outlives the same file', async () => {
  const set = ['--set', 'title=New', '--set', 'amount=12.50', '--set', 'data.when='];
  expect(await done('record', 'correct', 'permits:a', ...set)).toMatch(
    / {2}completed .* by hand \(permits:a\) {2}changed 1\n$/,
  );
  expect(await shown()).toMatchObject({
    record: { title: 'New', data: { amount: '12.50', when: null } },
    versions: [{ cause: 'extraction_correction', changed: ['data.amount', 'data.when', 'title'] }, {}],
  });
  const { code, err } = await run('import', 'permits', file, '--decimal-comma');
  expect([code, err]).toEqual([0, expect.stringContaining('1 record keeps what was set by hand') as string]);
  // What the definition does not name has stayed: only a file without it says something else.
  await writeFile(file, `${HEAD}\n${ROW.replace('kept', '')}\n`);
  const stopped = await run('import', 'permits', file, '--decimal-comma');
  expect([stopped.code, stopped.err]).toEqual([1, expect.stringContaining('--accept kept-by-hand') as string]);
});

it('is proposed, approved and taken back as an import is', async () => {
  const proposed = JSON.parse(
    await done(
      'record',
      'correct',
      'permits:a',
      '--set',
      'title=New',
      '--cause',
      'source_change',
      '--propose',
      '--json',
    ),
  ) as object;
  expect(proposed).toMatchObject({
    ...{ number: 2, kind: 'hand', file: 'permits:a', state: 'proposed', cause: 'source_change', changed: 1 },
    fields: [{ field: 'title', changed: 1, examples: [{ before: 'Old', after: 'New' }] }],
  });
  expect((await shown()).record.title).toBe('Old');
  await done('imports', 'approve', 'permits', '2');
  expect((await shown()).record.title).toBe('New');
  await done('imports', 'undo', 'permits', '2');
  expect((await shown()).record.title).toBe('Old');
});

it('withdraws and restores', async () => {
  await done('record', 'withdraw', 'permits:a');
  expect(await done('import', 'permits', file, '--decimal-comma')).toContain('restored 0');
  await done('record', 'restore', 'permits:a');
  expect(await shown()).toMatchObject({ state: 'live', record: { title: 'Old' } });
});

describe('refuses', () => {
  it.each([
    [['correct', 'permits:a', '--set', 'amount=much'], 'by hand: permits:a: data.amount must be'],
    [['correct', 'permits:a', '--set', 'titel=x'], '"titel" is not a field; expected title'],
    [['correct', 'permits:a', '--set', 'id=b'], '"id" is not a field'],
    [['correct', 'permits:a', '--set', 'title='], 'title must be text that is not empty'],
    [['correct', 'permits:a', '--set', 'source_url=x'], 'source_url must be an absolute http(s) URL'],
    [['correct', 'permits:a', '--set', 'title'], '--set must be FIELD=VALUE'],
    [['correct', 'permits:a', '--set', 'title=a', '--set', 'title=b'], '--set gives title twice'],
    [['correct', 'permits:a', '--set', 'title=Old'], 'record permits:a has these values already'],
    [['correct', 'permits:b', '--set', 'title=x'], 'there is no record "permits:b"'],
    [['withdraw', 'a'], 'there is no record "a"'],
    [['restore', 'permits:a'], 'record permits:a is not withdrawn'],
  ])('%j', async (args, message) => {
    const { code, err } = await run('record', ...args);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
    expect(err).not.toContain('--map');
    expect(JSON.parse(await done('imports', 'list', 'permits', '--json'))).toHaveLength(1);
  });

  it('work on what is withdrawn or erased', async () => {
    await done('record', 'withdraw', 'permits:a');
    expect((await run('record', 'correct', 'permits:a', '--set', 'title=x')).err).toContain('restore it first');
    expect((await run('record', 'withdraw', 'permits:a')).err).toContain('is withdrawn already');
    await done('record', 'redact', 'permits:a', '--yes');
    expect((await run('editor', 'log')).out).toMatch(/record_redacted.*permits:a/);
    for (const args of [['restore'], ['withdraw'], ['correct', '--set', 'title=x']] as const) {
      const [verb, ...more] = args;
      expect((await run('record', verb, 'permits:a', ...more)).err).toContain('was erased permanently');
    }
  });
});

it('stays where who approves a file that says something else of it keeps it', async () => {
  await done('record', 'correct', 'permits:a', '--set', 'title=New');
  await writeFile(file, `${HEAD}\n${ROW.replace('Old', 'Third')}\nb,New one,https://example.org/b,,,\n`);
  expect((await run('import', 'permits', file, '--decimal-comma')).code).toBe(1);
  expect(await done('imports', 'show', 'permits', '3')).toContain('--accept kept-by-hand keeps that');
  expect((await run('imports', 'approve', 'permits', '3', '--accept', 'absences')).code).toBe(2);
  const approved = await done('imports', 'approve', 'permits', '3', '--accept', 'kept-by-hand');
  expect(approved).toMatch(/ {2}completed .* added 1, unchanged 1\n$/);
  expect(await shown()).toMatchObject({ record: { title: 'New' } });
  expect((await run('import', 'permits', file, '--decimal-comma')).code).toBe(0);
});
