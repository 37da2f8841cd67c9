// Every way in which `gazette export -` ends without a result: what it says, how it exits, what it leaves behind.
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ending, folder, GAZETTE, gazette, start } from './run.ts';

const RECORD = { id: 'a', title: 'A', source_url: 'https://example.org/a' };
const EXPORT = ['export', '-', '--format', 'csv'];
const DATED = [...EXPORT, '--observed-at', '2026-01-01'];

describe('gazette export - refuses', () => {
  it.each<[string, readonly string[], unknown, number, string]>([
    ['an unknown format', ['export', '-', '--format', 'pdf'], [RECORD], 2, 'format must be one of * (unknown_format)'],
    ['no format', ['export', '-'], [RECORD], 2, '--format is needed: one of * (usage)'],
    [
      'an unknown option',
      [...DATED, '--observd-at', 'x'],
      [RECORD],
      2,
      "unknown option '--observd-at' (Did you mean --observed-at?) (usage)",
    ],
    [
      'an option without its value',
      [...EXPORT, '--observed-at'],
      [RECORD],
      2,
      "option '--observed-at <time>' argument missing (usage)",
    ],
    [
      'a register of a store it does not have',
      ['export', 'permits', '--format', 'csv', '--store', 'sqlite:no-such.db'],
      [RECORD],
      1,
      'there is no store *; gazette register add creates one (use --store for another place) (invalid_store)',
    ],
    [
      'an unknown input format',
      [...DATED, '--input-format', 'yaml'],
      [RECORD],
      2,
      '--input-format must be one of json, ndjson, csv, xlsx, got "yaml" (usage)',
    ],
    [
      'a path into NDJSON',
      [...DATED, '--input-format', 'ndjson', '--pick', 'a'],
      [RECORD],
      2,
      '--pick applies to JSON documents and workbooks; in ndjson every line is a record (usage)',
    ],
    [
      'an unknown writer',
      [...DATED, '--writer', 'fast'],
      [RECORD],
      2,
      "option '--writer <kind>' argument 'fast' is invalid. Allowed choices are native, reference. (usage)",
    ],
    [
      'an authority without a year',
      [...DATED, '--authority', 'example.org'],
      [RECORD],
      2,
      '--authority must be NAME,YEAR such as example.org,2026, got "example.org" (usage)',
    ],
    [
      'an authority that is no domain',
      [...DATED, '--authority', 'Example Org,2026'],
      [RECORD],
      2,
      '--authority must be NAME,YEAR such as example.org,2026, got "Example Org,2026" (usage)',
    ],
    [
      'an authority that is no domain name',
      [...DATED, '--authority', 'Example.org,2026'],
      [RECORD],
      2,
      '--authority: authority must be a domain name in lower case, or an e-mail address, got "Example.org" (usage)',
    ],
    [
      'an authority of a year before there were domains',
      [...DATED, '--authority', 'example.org,1800'],
      [RECORD],
      2,
      '--authority: year must be a year such as 2026, as a number, got 1800 (usage)',
    ],
    [
      'a feed id that is none',
      [...DATED, '--feed-id', 'Permits'],
      [RECORD],
      2,
      '--feed-id: id must be 1..64 of a-z 0-9 - and not starting with -, got "Permits" (usage)',
    ],
    [
      'records of another register',
      DATED,
      [{ ...RECORD, id: 'permits:1', feed_id: 'permits' }],
      1,
      'standard input: [0]: feed_id must be "records" or absent, got "permits"; --feed-id ID says which register the records are of (invalid_record)',
    ],
    ['an empty output', [...DATED, '--output', ''], [RECORD], 2, '--output must not be empty (usage)'],
    [
      'an empty document type',
      [...DATED, '--filter', 'document_type='],
      [RECORD],
      2,
      '--filter must be NAME=VALUE, got "document_type=" (usage)',
    ],
    [
      'a filter without a value',
      [...DATED, '--filter', 'facility_id'],
      [RECORD],
      2,
      '--filter must be NAME=VALUE, got "facility_id" (usage)',
    ],
    [
      'an unknown format, also where the schema is wanted',
      ['export', '-', '--xsd', '--format', 'nonsense'],
      [RECORD],
      2,
      'format must be one of * (unknown_format)',
    ],
    [
      'the schema of what has none',
      ['export', '-', '--xsd', '--format', 'csv'],
      [RECORD],
      2,
      '--xsd prints the schema of XML; csv has none (usage)',
    ],
    [
      'an unknown order',
      [...DATED, '--order', 'newest'],
      [RECORD],
      2,
      "option '--order <order>' argument 'newest' is invalid. Allowed choices are newest-first, oldest-first, by-date. (usage)",
    ],
    [
      'an order for a register of a store, which knows its own',
      ['export', 'permits', '--format', 'csv', '--order', 'oldest-first'],
      [RECORD],
      2,
      '--order is for records of a file: gazette export - --input FILE (usage)',
    ],
    [
      'a mapping it cannot understand',
      [...DATED, '--map', 'titel=name'],
      [RECORD],
      2,
      'the mapping is not valid: "titel" is not a field, the nearest is title; * (invalid_mapping)',
    ],
    [
      'a time that is none',
      [...EXPORT, '--observed-at', 'now'],
      [RECORD],
      2,
      'observed_at must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got "now" (invalid_option)',
    ],
    [
      'records without a time of observation',
      EXPORT,
      [RECORD],
      2,
      'standard input: the records have no observed_at; give --observed-at, or --map observed_at=SOURCE (invalid_option)',
    ],
    [
      'no records at all without a time of observation',
      EXPORT,
      [],
      2,
      'standard input: there are no records, and so no observed_at; give --observed-at, or --map observed_at=SOURCE (invalid_option)',
    ],
    [
      'broken JSON',
      DATED,
      '[{"id":"a",\n"title" "A"}]',
      1,
      "standard input: line 2, column 9 (byte 20): not valid JSON, expected ':' (invalid_input)",
    ],
    [
      'truncated JSON',
      DATED,
      '[{"id":"a"',
      1,
      'standard input: line 1, column 11 (byte 10): the document ends too early in [0], expected a comma or a closing bracket (invalid_input)',
    ],
    [
      'what is no UTF-8',
      DATED,
      Buffer.from([0x5b, 0x22, 0xc3, 0xa9, 0xff]),
      1,
      'standard input: line 1, column 5 (byte 7): the document ends too early, expected a string value; the file has bytes that are no text; if the file has another encoding, say which with --encoding (invalid_input)',
    ],
    [
      'a file that is not there',
      [...DATED, '--input', '/no/such/file'],
      '',
      1,
      '/no/such/file cannot be read: there is no such file or folder (invalid_input)',
    ],
    [
      'a path to nothing',
      [...DATED, '--pick', 'items'],
      { rows: [RECORD] },
      1,
      'standard input: has nothing at "items"; found there: "rows" (invalid_input)',
    ],
    [
      'a record without an id',
      DATED,
      [RECORD, { ...RECORD, id: undefined }],
      1,
      'standard input: [1]: id must be the publisher’s key, as text that is not empty, got nothing; say where it is with --map id=SOURCE; where no column identifies a record, give --key row; the record has "title", "source_url" (invalid_record)',
    ],
    [
      'two records with one id',
      DATED,
      [RECORD, { ...RECORD, id: 'b' }, RECORD],
      1,
      'standard input: [2]: id "records:a" is also that of [0] (duplicate_id)',
    ],
    [
      'a relative source_url',
      [...DATED, '--pick', 'items'],
      { items: [{ ...RECORD, source_url: '/a' }] },
      1,
      'standard input: items[0]: source_url must be an absolute http(s) URL, got "/a" (invalid_record)',
    ],
    [
      'a definition that is not there',
      [...DATED, '--definition', '/no/such/file'],
      [RECORD],
      1,
      '/no/such/file cannot be read: there is no such file or folder (invalid_input)',
    ],
    [
      'an output folder that is not there',
      [...DATED, '--output', '/no/such/folder/x.csv'],
      [RECORD],
      1,
      '/no/such/folder/x.csv cannot be written: there is no such file or folder (output_failed)',
    ],
  ])('%s', async (_title, args, input, code, expected) => {
    const bytes = typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input);
    const { code: exit, stderr } = await gazette(args, bytes);
    const [before, after] = expected.split('*') as [string, string?];
    expect(stderr).toMatch(/^gazette: [^\n]*\n$/);
    if (after === undefined) expect(stderr).toBe(`gazette: ${expected}\n`);
    else expect([stderr.startsWith(`gazette: ${before}`), stderr.endsWith(`${after}\n`)], stderr).toEqual([true, true]);
    expect(exit).toBe(code);
  });

  it.each<[string, unknown, string]>([
    ['is no JSON', '{"id":}', 'line 1, column 7 (byte 6): not valid JSON, expected a value (invalid_input)'],
    [
      'names a member twice',
      '{"id": "a", "title": "A", "title": "B", "created_at": "2026-01-01T00:00:00Z"}',
      'the definition has the name "title" twice in one object, and only one of the values could be kept (invalid_definition)',
    ],
    [
      'names a member of a field twice',
      '{"id":"a","title":"A","created_at":"2026-01-01T00:00:00Z","fields":[{"name":"x","type":"text","type":"date"}]}',
      'the definition has the name "type" twice in one object, and only one of the values could be kept (invalid_definition)',
    ],
    ['is no object', '[]', 'definition must be a JSON object, got [] (invalid_definition)'],
    [
      'lacks a title',
      { id: 'a', created_at: '2026-01-01T00:00:00Z' },
      'title must be text that is not empty, got nothing (invalid_definition)',
    ],
    [
      'names a field as a core field',
      { id: 'a', title: 'A', created_at: '2026-01-01T00:00:00Z', fields: [{ name: 'title', type: 'text' }] },
      'fields[0].name must be no name of a core field, got "title" (invalid_definition)',
    ],
  ])('a definition that %s', async (_title, definition, message) => {
    const file = join(await folder(), 'definition.json');
    await writeFile(file, typeof definition === 'string' ? definition : JSON.stringify(definition));
    const { code, stderr } = await gazette([...DATED, '--definition', file], JSON.stringify([RECORD]));
    expect([code, stderr]).toEqual([1, `gazette: ${file}: ${message}\n`]);
  });

  it('a record that does not fit its definition', async () => {
    const file = join(await folder(), 'definition.json');
    const fields = [{ name: 'area', type: 'number' }];
    await writeFile(file, JSON.stringify({ id: 'a', title: 'A', created_at: '2026-01-01T00:00:00Z', fields }));
    const { code, stderr } = await gazette(
      [...DATED, '--definition', file],
      JSON.stringify([{ ...RECORD, area: 'wide' }]),
    );
    expect([code, stderr]).toEqual([
      1,
      'gazette: standard input: [0]: data.area must be a number, got "wide" (invalid_record)\n',
    ]);
  });

  it('to wait for the end of an input that it has refused', async () => {
    const child = start([...DATED, '--input-format', 'json']);
    child.stdin.write('nonsense that is no JSON ');
    expect(await ending(child)).toMatchObject({ code: 1 });
  });

  it('everything but a command, showing what there is', async () => {
    const { code, stdout, stderr } = await gazette([]);
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(stderr).toContain('export [options] <feed_id>');
    expect(await gazette(['exprt'])).toMatchObject({
      code: 2,
      stderr: "gazette: unknown command 'exprt' (Did you mean export?) (usage)\n",
    });
  });
});

describe('gazette export - as a feed', () => {
  it.each(['rss', 'atom'])('needs what permanent ids are made of (%s)', async (format) => {
    const path = await folder();
    const args = ['export', '-', '--observed-at', '2026-01-01', '--format', format, '--output', join(path, 'feed.xml')];
    const { code, stderr } = await gazette(args, JSON.stringify([RECORD]));
    expect([code, stderr]).toEqual([
      2,
      'gazette: register "records" needs a uuid, or an authority and a year such as example.org and 2026, for permanent ids in RSS and Atom; give --authority NAME,YEAR, or in a definition its uuid, or its authority and year (authority_required)\n',
    ]);
    expect(await readdir(path)).toEqual([]);
  });
});

describe('gazette export - on a terminal', () => {
  it.each([[[]], [['--output', '-']]])('refuses a workbook (%j)', async (output: readonly string[]) => {
    const command = [process.execPath, GAZETTE, ...DATED.with(3, 'xlsx'), ...output]
      .map((word) => `'${word}'`)
      .join(' ');
    // `script` gives what it runs a terminal for standard output.
    const { stdout } = await promisify(execFile)('script', ['-qec', `${command} < /dev/null`, '/dev/null']).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    expect(stdout).toContain('gazette: xlsx cannot be shown in a terminal; use --output FILE or a pipe (usage)');
  });
});

describe('a refused export', () => {
  it('leaves no file where there was none, and the old one where there was one', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ ...RECORD, id: index }));
    for (const input of [[{ ...RECORD, id: null }], [...many, { ...RECORD, id: 7 }]]) {
      const path = await folder();
      const output = join(path, 'out.csv');
      expect((await gazette([...DATED, '--output', output], JSON.stringify(input))).code).toBe(1);
      expect(await readdir(path)).toEqual([]);
      await writeFile(output, 'the old one');
      expect((await gazette([...DATED, '--output', output], JSON.stringify(input))).code).toBe(1);
      expect(await readdir(path)).toEqual(['out.csv']);
      expect(await readFile(output, 'utf8')).toBe('the old one');
    }
  });
});
