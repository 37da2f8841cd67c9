// `gazette register`, `record`, `import` and `export` on a store, as a user runs them.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ending, folder, gazette } from './run.ts';
import { storedRows } from './stored-rows.ts';

const PERMITS = join(import.meta.dirname, '../../fixtures/permits');

/** A folder with a store that has the empty register `r`, and `gazette` on it. */
async function makeStore(...definition: readonly string[]) {
  const place = await folder();
  const store = join(place, 'store.db');
  const run = (args: readonly string[], input = ''): Promise<Ending> => gazette([...args, '--store', store], input);
  const made = await run(['register', 'add', 'r', ...(definition.length > 0 ? definition : ['--title', 'R'])]);
  expect(made).toMatchObject({ code: 0, stderr: 'gazette: created the register r\n' });
  const write = async (name: string, content: string | Uint8Array): Promise<string> => {
    const path = join(place, name);
    await writeFile(path, content);
    return path;
  };
  return { place, store, run, write };
}

const record = (id: string, more: object = {}) => ({
  id,
  title: `Title ${id}`,
  source_url: 'https://example.org/',
  ...more,
});
const lines = (...records: unknown[]): string => records.map((item) => `${JSON.stringify(item)}\n`).join('');
const answer = ({ stdout }: Ending): unknown => JSON.parse(stdout.toString());

describe('gazette import', () => {
  it('finds types in the whole file, and takes those that are said', async () => {
    const { run, write } = await makeStore();
    const rows = Array.from({ length: 1200 }, (_, n) => `${n},T,https://example.org/,${n},${n},17.04.2026`);
    const file = await write(
      'a.csv',
      ['id,title,source_url,area,code,on', ...rows, 'x,T,https://example.org/,2.5,7,'].join('\n'),
    );
    const options = ['--date-format', 'DD.MM.YYYY', '--type', 'code=text'];
    expect(await run(['import', 'r', file, ...options])).toMatchObject({ code: 0 });
    const types = { area: 'number', code: 'text', on: 'date' };
    const fields = Object.entries(types).map(([name, type]) => ({ name, label: name, type }));
    expect(answer(await run(['register', 'show', 'r', '--json']))).toMatchObject({ definition: { fields } });
    const refused = await run(['import', 'r', file, ...options, '--type', 'area=integer']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('gazette register retype r area=integer');
    const out = await gazette(['export', '-', '--input', file, '--format', 'ndjson', '--observed-at', '2026-05-01']);
    expect(JSON.parse(out.stdout.toString().split('\n')[1]!)).toMatchObject({
      data: { area: 1, code: 1, on: '17.04.2026' },
    });
  });

  it('says how many records stay although their rows were refused, where that can be', async () => {
    const { run, write } = await makeStore();
    const take = async (rows: readonly (readonly [id: string, title: string])[], ...options: readonly string[]) => {
      const text = rows.map(([id, title]) => `${id},${title},https://example.org/\n`).join('');
      const file = await write('a.csv', `id,title,source_url\n${text}`);
      const { stderr } = await run(['import', 'r', file, '--skip-invalid', ...options]);
      return stderr.split('\n').filter((line) => line.includes('as before') || line.includes('stopped'));
    };
    // Nothing was published before.
    expect(
      await take([
        ['1', ''],
        ['', 'B'],
        ['3', 'C'],
        ['4', 'D'],
        ['5', 'E'],
      ]),
    ).toEqual([]);
    expect(
      await take([
        ['1', 'A'],
        ['', 'B'],
        ['3', 'C'],
        ['4', 'D'],
        ['5', 'E'],
      ]),
    ).toEqual([]);
    const two = 'gazette: 2 published records stay as before, because the rows with their ids were refused';
    const unknown = '1 refused row has no id that can be read: if its record is published, it stays as before';
    const rows = [
      ['1', 'A'],
      ['3', ''],
      ['4', ''],
      ['9', ''],
    ] as const;
    expect(await take(rows)).toEqual([two]);
    expect(await take(rows, '--dry-run')).toEqual([two.replace('stay', 'would stay')]);
    expect(await take([...rows, ['', 'E']])).toEqual([`${two}; ${unknown}`]);
    expect(
      await take([
        ['1', 'A'],
        ['3', 'C'],
        ['4', 'D'],
        ['', 'E'],
      ]),
    ).toEqual([`gazette: ${unknown}`]);
    // What the file lacks is withdrawn; a row without an id is then of no record.
    expect(await take(rows, '--withdraw-missing')).toEqual([two]);
    const all = [
      ['1', 'A'],
      ['3', 'C'],
      ['4', 'D'],
    ] as const;
    expect(await take([...all, ['', 'E']], '--withdraw-missing')).toEqual([]);
  });

  it('reports what it did, in words and as JSON, and takes records from standard input', async () => {
    const { run, write } = await makeStore();
    const file = await write('a.ndjson', lines(record('1'), record('2')));
    const first = await run(['import', 'r', file]);
    expect(first).toMatchObject({
      code: 0,
      stderr: 'gazette: no two dates in the file differ; it is read oldest first (use --order to change this)\n',
    });
    expect(first.stdout.toString()).toBe('r: added 2, changed 0, unchanged 0, withdrawn 0, restored 0, refused 0\n');
    const changes = lines(record('1'), record('3', { title: 'Three' }));
    const options = ['--format', 'ndjson', '--withdraw-missing', '--json', '--order', 'newest-first'];
    const counts = { added: 1, changed: 0, unchanged: 1, withdrawn: 1, restored: 0, refused: 0, redacted: 0 };
    const told = { feed_id: 'r', ...counts, findings: [], corrected: null, order: 'newest-first', rejects: null };
    const dry = await run(['import', 'r', '-', ...options, '--dry-run'], changes);
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(answer(dry)).toEqual({ ...told, dry_run: true, import: null, proposed: false, changed_fields: {} });
    expect(answer(await run(['import', 'r', '-', ...options], changes))).toEqual({
      ...{ ...told, dry_run: false, import: 2, proposed: false, changed_fields: {} },
    });
    expect(answer(await run(['register', 'show', 'r', '--json']))).toMatchObject({
      definition: { id: 'r', title: 'R' },
      records: 2,
      positions: 3,
      change: 4,
      order: 'newest-first',
    });
  });

  it('says which order the dates show, and refuses a file whose dates run both ways', async () => {
    const { run } = await makeStore();
    const dated = (...days: readonly number[]): string =>
      lines(...days.map((day) => record(String(day), { published_at: `2026-01-0${day}` })));
    const take = (input: string, ...options: readonly string[]): Promise<Ending> =>
      run(['import', 'r', '-', '--format', 'ndjson', ...options], input);
    expect(await take(dated(2, 3, 1))).toMatchObject({
      code: 2,
      stdout: Buffer.from(''),
      stderr: expect.stringMatching(
        /^gazette: standard input: the dates run both ways .* --order newest-first, --order oldest-first, or --order by-date, which sorts by publication date \(invalid_option\)\n$/,
      ) as string,
    });
    expect(await take(dated(3, 2, 1))).toMatchObject({
      code: 0,
      stderr:
        'gazette: the file is read newest-first, as its dates show; later imports do the same (use --order to change this)\n',
    });
    expect(answer(await take(dated(5, 6, 4), '--order', 'by-date', '--json'))).toMatchObject({ order: 'by-date' });
    expect(answer(await run(['register', 'show', 'r', '--json']))).toMatchObject({ order: 'by-date' });
  });

  it('puts records that do not fit into a file with the reason, and none when there are none', async () => {
    const { run, write, place } = await makeStore();
    const file = await write(
      'a.ndjson',
      `${lines(record('1'), { id: 2 })}{"id":\n${lines(record('4', { n: 12345678901234567890n.toString() }))}`,
    );
    expect(await run(['import', 'r', file, '--skip-invalid'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`refused 2 records; see ${file}.rejects.ndjson for the reasons`) as string,
    });
    const rejects = (await readFile(`${file}.rejects.ndjson`, 'utf8')).trimEnd().split('\n');
    expect(rejects.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        where: 'line 2',
        code: 'invalid_record',
        field: 'title',
        reason: expect.stringContaining(`${file}: line 2: title must be`) as string,
        record: { id: 2 },
      },
      {
        where: 'line 3',
        code: 'invalid_input',
        field: null,
        reason: expect.stringContaining('line 3, column 7 (byte') as string,
        record: '{"id":',
      },
    ]);
    const good = await write('b.ndjson', lines(record('1')));
    expect(await run(['import', 'r', good, '--skip-invalid', '--rejects', join(place, 'x.ndjson')])).toMatchObject({
      code: 0,
    });
    expect((await readdir(place)).filter((name) => /^x|tmp$/.test(name))).toEqual([]);
    expect(await run(['import', 'r', '-', '--skip-invalid'])).toMatchObject({
      code: 2,
      stderr: 'gazette: --skip-invalid with standard input needs --rejects FILE for the skipped records (usage)\n',
    });
  });

  it('takes CSV and XLSX by the file’s name, as gazette writes them', async () => {
    const { run, place } = await makeStore();
    const definition = join(PERMITS, 'definition.json');
    expect(await run(['register', 'add', 'permits', '--definition', definition])).toMatchObject({ code: 0 });
    const source = join(PERMITS, 'records.ndjson');
    expect(await run(['import', 'permits', source])).toMatchObject({ code: 0 });
    for (const format of ['ndjson', 'csv', 'xlsx']) {
      const file = join(place, `permits.${format}`);
      expect(await run(['export', 'permits', '--format', format, '--output', file])).toMatchObject({ code: 0 });
      const again = answer(await run(['import', 'permits', file, '--json', '--dry-run']));
      expect(again).toMatchObject({ added: 0, changed: 0, unchanged: 365 });
    }
  });

  it('makes ids of keys with a slash or a space that work everywhere', async () => {
    const { run, write } = await makeStore('--title', 'R', '--authority', 'example.org,2026');
    const file = await write('a.ndjson', lines(record('22/01234 FUL', { observed_at: '2026-01-01' })));
    expect(await run(['import', 'r', file])).toMatchObject({ code: 0 });
    const id = 'r:22~2F01234~20FUL';
    expect(answer(await run(['record', 'show', id, '--json']))).toMatchObject({
      id,
      state: 'live',
      versions: [{ version: 1 }],
    });
    const xml = await run(['export', 'r', '--format', 'xml']);
    expect(xml.stdout.toString()).toContain(`id="${id}"`);
    const exported = await run(['export', 'r', '--format', 'ndjson']);
    expect(
      answer(await run(['import', 'r', '-', '--format', 'ndjson', '--json'], exported.stdout.toString())),
    ).toMatchObject({
      unchanged: 1,
    });
  });
});

describe('gazette import refuses, with the store as it was', () => {
  const url = (value: string): string => lines(record('a', { source_url: value }));

  it.each<[string, string, string | Uint8Array, readonly string[], string]>([
    [
      'truncated JSON',
      'a.json',
      '[{"id":"a","title":',
      [],
      'line 1, column 20 (byte 19): the document ends too early in [0]',
    ],
    [
      'nesting 50,000 deep',
      'a.json',
      `[{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`,
      [],
      '[0] is nested deeper than 256 levels',
    ],
    [
      'nesting 50,000 deep in a line',
      'a.ndjson',
      `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      [],
      'line 1 is nested deeper than 256 levels',
    ],
    [
      'bytes that are no UTF-8',
      'a.ndjson',
      Uint8Array.of(0x7b, 0x22, 0xc3, 0xa9, 0xff),
      [],
      'line 1 has bytes that are no text; if the file has another encoding',
    ],
    ['a name twice', 'a.json', '[{"id":"a","id":"b"}]', [], '[0] has the name "id" twice'],
    ['a ragged CSV', 'a.csv', 'id,title\n1,A\n2\n', [], 'line 3 has 1 field, the header 2'],
    ['a workbook that is not a zip', 'a.xlsx', 'id,title\n', [], 'is not a workbook; it is not a zip archive'],
    [
      'a date that is none',
      'a.ndjson',
      lines(record('a', { published_at: '2026-02-30' })),
      [],
      'line 1: published_at must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got "2026-02-30"',
    ],
    [
      'an id of 10,000 characters',
      'a.ndjson',
      lines(record('x'.repeat(10_000))),
      [],
      'line 1: id must be 1..200 characters once encoded, got 10000',
    ],
    [
      'a javascript: URL',
      'a.ndjson',
      url('javascript:alert(1)'),
      [],
      'line 1: source_url must be an absolute http(s) URL, got "javascript:alert(1)"',
    ],
    ['a path with nothing there', 'a.json', '{"b":[]}', ['--pick', 'a'], 'has nothing at "a"; found there: "b"'],
  ])('%s', async (_, name, content, options, message) => {
    const { run, write, store } = await makeStore();
    const before = storedRows(store);
    const file = await write(name, content);
    const refused = await run(['import', 'r', file, '--withdraw-missing', ...options]);
    expect(refused.code).toBe(1);
    expect(refused.stdout.length).toBe(0);
    expect(refused.stderr).toMatch(new RegExp(`^gazette: ${file}[^\n]* \\(invalid_(input|record)\\)\n$`));
    expect(refused.stderr).toContain(message);
    expect(storedRows(store)).toEqual(before);
  });

  it('a text of 300 MB, having read little more than the limit', async () => {
    const { run, store } = await makeStore();
    const before = storedRows(store);
    const endless = `[{"id":"${'x'.repeat(300_000_000)}`;
    const refused = await run(['import', 'r', '-'], endless);
    expect(refused).toMatchObject({
      code: 1,
      stderr:
        'gazette: standard input: [0] is longer than 16777216 characters, the most that is read (invalid_input)\n',
    });
    expect(storedRows(store)).toEqual(before);
  });

  it('a register or a store that is not there, an option without use', async () => {
    const { run, place } = await makeStore();
    expect(await run(['import', 'other', '-'])).toMatchObject({
      code: 1,
      stderr:
        'gazette: there is no register "other"; create it with: gazette register add other --title TITLE (unknown_feed)\n',
    });
    const nowhere = join(place, 'no.db');
    expect(await gazette(['import', 'r', '-', '--store', nowhere])).toMatchObject({
      code: 1,
      stderr: `gazette: there is no store ${nowhere}; gazette register add creates one (use --store for another place) (invalid_store)\n`,
    });
    expect(await gazette(['register', 'list', '--store', 'mysql://root:secret@host/db'])).toMatchObject({
      code: 2,
      stderr: 'gazette: --store must be sqlite:FILE or postgres://…, got "mysql://…@host/db" (usage)\n',
    });
    expect(await run(['import', 'r', '-', '--rejects', 'x'])).toMatchObject({ code: 2 });
    expect(await run(['import', 'r', '-', '--format', 'json', '--delimiter', ';'])).toMatchObject({
      code: 2,
      stderr: 'gazette: --delimiter applies to CSV; the input is read as json (usage)\n',
    });
  });
});

describe('gazette register', () => {
  it('makes, changes, lists, shows and removes registers', async () => {
    const { run } = await makeStore('--title', 'R', '--authority', 'example.org,2026');
    expect(await run(['register', 'add', 'r', '--title', 'R'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(register_exists)') as string,
    });
    expect(await run(['register', 'update', 'r', '--description', 'What it is', '--language', 'en'])).toMatchObject({
      code: 0,
    });
    const shown = answer(await run(['register', 'show', 'r', '--json'])) as { definition: object };
    expect(shown.definition).toMatchObject({
      id: 'r',
      title: 'R',
      description: 'What it is',
      language: 'en',
      authority: 'example.org',
      year: 2026,
    });
    expect((await run(['register', 'list'])).stdout.toString()).toBe('r           0 records  R\n');
    expect((await run(['register', 'xsd', 'r'])).stdout.toString()).toContain('<xs:schema');
    expect(await run(['register', 'remove', 'r', '--yes'])).toMatchObject({
      code: 0,
      stderr: 'gazette: removed the register r\n',
    });
    expect(answer(await run(['register', 'list', '--json']))).toEqual([]);
    expect(await run(['register', 'show', 'r'])).toMatchObject({
      code: 1,
      stderr: 'gazette: there is no register "r" (unknown_feed)\n',
    });
  });

  it('gives every register permanent ids, which stay as they are', async () => {
    const { run, write, place } = await makeStore();
    await run(['import', 'r', '-', '--format', 'ndjson'], lines(record('1', { observed_at: '2026-01-01' })));
    const atom = await run(['export', 'r', '--format', 'atom']);
    expect(atom.code).toBe(0);
    const ids = Array.from(atom.stdout.toString().matchAll(/<id>urn:uuid:([0-9a-f-]{36})<\/id>/g), ([, id]) => id);
    const { definition } = answer(await run(['register', 'show', 'r', '--json'])) as { definition: { uuid: string } };
    expect(ids).toEqual([definition.uuid, expect.any(String)]);
    expect(await run(['register', 'update', 'r', '--authority', 'example.org,2026'])).toMatchObject({
      code: 1,
      stderr:
        'gazette: authority must stay null, got "example.org": the permanent ids of register "r" and its records are made of it (invalid_definition)\n',
    });
    // One document from a file has the register's ids once it has the register's definition.
    const file = await write('r.json', JSON.stringify(definition));
    const records = join(place, 'r.ndjson');
    await run(['export', 'r', '--format', 'ndjson', '--output', records]);
    const other = await run(['export', '-', '--definition', file, '--input', records, '--format', 'rss']);
    expect(other.stdout.toString()).toContain(`<guid isPermaLink="false">urn:uuid:${ids[1]}</guid>`);
    const site = join(place, 'site');
    expect(await run(['snapshot', '--out', site, '--base-url', 'https://example.org'])).toMatchObject({ code: 0 });
    expect(await readFile(join(site, 'r/index.rss'), 'utf8')).toContain(`urn:uuid:${ids[1]}<`);
  });

  it('refuses a definition of another register, and a field that changes its type', async () => {
    const { run, write } = await makeStore();
    const other = await write('d.json', JSON.stringify({ id: 'other', title: 'O' }));
    expect(await run(['register', 'update', 'r', '--definition', other])).toMatchObject({
      code: 1,
      stderr: `gazette: ${other}: id is "other", but the register is "r" (invalid_definition)\n`,
    });
    await run(['import', 'r', '-', '--format', 'ndjson'], lines(record('1', { size: 5 })));
    const typed = await write('t.json', JSON.stringify({ title: 'R', fields: [{ name: 'size', type: 'text' }] }));
    expect(await run(['register', 'update', 'r', '--definition', typed])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('size is of type integer in 1 record, and cannot become text') as string,
    });
    // Nor in two steps: the records keep what no field names.
    const without = await write('w.json', JSON.stringify({ title: 'R', fields: [] }));
    expect(await run(['register', 'update', 'r', '--definition', without, '--replace'])).toMatchObject({ code: 0 });
    const dated = await write('n.json', JSON.stringify({ title: 'R', fields: [{ name: 'size', type: 'date' }] }));
    expect(await run(['register', 'update', 'r', '--definition', dated])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'size cannot be of type date: the values of 1 version (r:1 version 1) do not fit; give the field',
      ) as string,
    });
    const back = await write('b.json', JSON.stringify({ title: 'R', fields: [{ name: 'size', type: 'integer' }] }));
    expect(await run(['register', 'update', 'r', '--definition', back])).toMatchObject({ code: 0 });
  });

  it('deletes nothing permanently where nobody can be asked, unless it is told to', async () => {
    const { run } = await makeStore();
    await run(['import', 'r', '-', '--format', 'ndjson'], lines(record('1')));
    for (const args of [
      ['register', 'remove', 'r'],
      ['record', 'redact', 'r:1'],
    ]) {
      expect(await run(args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('pass --yes (usage)') as string,
      });
    }
    expect(answer(await run(['record', 'show', 'r:1', '--json']))).toMatchObject({ state: 'live' });
  });
});

describe('gazette record', () => {
  it('shows a record with its versions, and erases its content', async () => {
    const { run, store } = await makeStore();
    await run(['import', 'r', '-', '--format', 'ndjson'], lines(record('1', { summary: 'A secret\u001b[2J' })));
    await run(
      ['import', 'r', '-', '--format', 'ndjson', '--cause', 'extraction_correction'],
      lines(record('1', { summary: 'Another secret' })),
    );
    const shown = (await run(['record', 'show', 'r:1'])).stdout.toString();
    expect(shown).toMatch(/^summary +Another secret$/m);
    expect(shown).toMatch(/^version 2 {2}\S+Z {2}extraction_correction {2}summary$/m);
    expect(await run(['record', 'redact', 'r:1', '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^gazette: erased the content of r:1\n/) as string,
    });
    expect(answer(await run(['record', 'show', 'r:1', '--json']))).toMatchObject({
      state: 'redacted',
      record: null,
      version: 3,
    });
    for (const text of ['A secret', 'Another secret']) expect((await readFile(store)).includes(text)).toBe(false);
    expect(await run(['record', 'redact', 'r:1', '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^gazette: r:1 was erased before\n/) as string,
    });
    const again = ['import', 'r', '-', '--format', 'ndjson', '--json'];
    expect(answer(await run(again, lines(record('1'))))).toMatchObject({ redacted: 1, restored: 0 });
    expect(await run(['record', 'redact', 'r:1', '--lift'])).toMatchObject({
      code: 0,
      stderr: 'gazette: imports take r:1 in again; what was erased stays erased\n',
    });
    expect(await run(['record', 'redact', 'r:1', '--lift'])).toMatchObject({
      code: 0,
      stderr: 'gazette: r:1 is not erased\n',
    });
    expect(answer(await run(again, lines(record('1'))))).toMatchObject({ redacted: 0, restored: 1 });
    expect(await run(['record', 'show', 'r:2'])).toMatchObject({
      code: 1,
      stderr: 'gazette: there is no record "r:2" (unknown_record)\n',
    });
  });
});
