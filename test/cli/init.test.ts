// `gazette init`: its questions, and what is left where it does not end well.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { contentOf } from '../../src/cli/commands/init/content.ts';
import { guessing } from '../../src/cli/commands/import/guess.ts';
import { readConfiguration } from '../../src/cli/configuration/file.ts';
import { run } from '../../src/cli/main.ts';
import { planFor } from '../../src/import/from-file/register-plan.ts';
import { OFFICE } from './office-files.ts';
import { folder, gazette } from './run.ts';

/** A run at a terminal: what is said is answered line by line; `onSaid` sees it. */
async function atTerminal(
  args: readonly string[],
  answers: string,
  onSaid: (said: string, stop: AbortController) => void = () => undefined,
): Promise<{ readonly code: number; readonly said: string }> {
  let said = '';
  const stop = new AbortController();
  const stdin = Object.assign(Readable.from([Buffer.from(answers)]), { isTTY: true });
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    said += chunk.toString();
    onSaid(said, stop);
    done();
  };
  const stderr = Object.assign(new Writable({ write }), { isTTY: true });
  const code = await run(args, { stdin, stdout: new Writable({ write }), stderr, env: {} }, stop.signal);
  return { code, said };
}

/** A folder with a file, and the options that name all that is written there. */
async function place(
  content: string | Uint8Array = OFFICE,
): Promise<{ readonly at: string; readonly args: readonly string[] }> {
  const at = await folder();
  await writeFile(join(at, 'permits.csv'), content);
  const args = [
    'init',
    join(at, 'permits.csv'),
    '--config',
    join(at, 'gazette.json'),
    '--store',
    join(at, 'gazette.db'),
    '--no-serve',
  ];
  return { at, args };
}

describe('its questions', () => {
  it('change what was guessed, and the file says what was answered', async () => {
    const { at, args } = await place();
    const answers =
      'decisions\nDecisions of Exampleton\ntiered\n\nAktenzeichen\n\nhttps://exampleton.example/{+Aktenzeichen}\n\n';
    const { code, said } = await atTerminal(args, answers);
    expect([code, said]).toEqual([0, expect.stringContaining('The column of the title [Vorhaben]: ')]);
    const { registers } = readConfiguration(join(at, 'gazette.json'));
    expect(registers[0]!.definition).toMatchObject({ id: 'decisions', title: 'Decisions of Exampleton' });
    expect(registers[0]!.definition).not.toHaveProperty('access');
    const { stdout } = await gazette([
      'record',
      'show',
      'decisions:2026~2F1',
      '--json',
      '--config',
      join(at, 'gazette.json'),
    ]);
    expect(JSON.parse(stdout.toString())).toMatchObject({
      record: { title: '2026/1', source_url: 'https://exampleton.example/2026/1' },
    });
  });

  it('say that a source is not known, before and after nobody names one', async () => {
    const { at, args } = await place();
    const { code, said } = await atTerminal(args, '\n'.repeat(8));
    expect(code, said).toBe(0);
    expect(said).toContain(
      'an address with {column}; Enter says that it is not known [https://source-unknown.invalid/{Aktenzeichen}]: ',
    );
    expect(said).toMatch(
      /warning: no column of the file has the address .* so the pages say that it is not known; .*gazette\.json says source_url=/,
    );
    const known = await place(OFFICE);
    const named = await atTerminal(
      [...known.args, '--map', 'source_url=https://exampleton.example/{Aktenzeichen}'],
      '\n'.repeat(7),
    );
    expect([named.code, named.said.includes('not known')]).toEqual([0, false]);
    expect(at).not.toBe(known.at);
  });

  it.each([
    ['an id of a register', 'Übersee\nuebersee\n', /"Übersee" is no id: expected 1 to 64 of a-z, 0-9 and -/],
    ['who may read', '\n\nnobody\no\n', /"nobody" is none of open and tiered/],
    ['a column', '\n\n\nAktenzeihen\nAktenzeichen\n', /"Aktenzeihen" names no column of the file; there are "Akten/],
    [
      'a column in a template',
      '\n\n\n\n\n\nhttps://e.org/{Nr}\n\n',
      /"https:\/\/e.org\/{Nr}" names no column of the file/,
    ],
    ['a mapping', '\n\n\n\n{Vorhaben\n\n', /Vorhaben.*\n.*The column of the title/],
    [
      'a date',
      '\n\n\n\n\nVorhaben\nBescheiddatum\n',
      /an import would refuse 3 of 3 records; the first: .*published_at must be/,
    ],
  ])('ask again after an answer that is no such thing, and keep those before it: %s', async (_, answers, why) => {
    const { at, args } = await place();
    const { code, said } = await atTerminal(args, `${answers}${'\n'.repeat(8)}`);
    expect([code, said]).toEqual([0, expect.stringMatching(why)]);
    const { registers } = readConfiguration(join(at, 'gazette.json'));
    const id = answers.startsWith('Übersee') ? 'uebersee' : 'permits';
    expect(registers[0]!.definition).toMatchObject({ id, title: 'Bescheide der Gemeinde Übersee', access: 'open' });
  });

  it('take no as no, and the end of the input', async () => {
    for (const answers of [`${'\n'.repeat(7)}n\n`, '\n\n']) {
      const { at, args } = await place();
      const { code, said } = await atTerminal(args, answers);
      expect([code, said]).toEqual([1, expect.stringContaining('nothing was written (aborted)')]);
      expect(await readdir(at)).toEqual(['permits.csv']);
    }
  });

  it('come before a configuration is replaced', async () => {
    const { at, args } = await place();
    await writeFile(join(at, 'gazette.json'), '{}');
    const { code, said } = await atTerminal(args, 'n\n');
    expect([code, said]).toEqual([2, expect.stringContaining('gazette.json. Replace it? [y/N]')]);
    expect((await gazette([...args, '--yes'])).stderr).toContain('--replace replaces it');
    expect(await readFile(join(at, 'gazette.json'), 'utf8')).toBe('{}');
    expect((await gazette([...args, '--yes', '--replace'])).code).toBe(0);
  });
});

describe('without a terminal', () => {
  it.each([['nosuch.csv'], ['-']])('speaks of a file that is not there before anything else: %s', async (file) => {
    for (const how of [[], ['--yes']]) {
      const { code, stderr } = await gazette(['init', file, ...how]);
      expect([code, stderr]).toEqual([
        1,
        `gazette: ${file} cannot be read: there is no such file or folder (invalid_input)\n`,
      ]);
    }
  });

  it('says what is missing', async () => {
    const { code, stderr } = await gazette(['init']);
    expect([code, stderr]).toEqual([
      2,
      'gazette: there is no terminal to ask on; missing: FILE, --yes, which accepts what is found (usage)\n',
    ]);
  });

  it('keeps records that do not fit in a file of their own', async () => {
    const { at, args } = await place(
      'Nr;Titel;Link\n1;Ford;https://exampleton.example/1\n2;Weir;https://exampleton.example/2\n3;;https://exampleton.example/3\n;Summe;\n',
    );
    const { code, stderr } = await gazette([...args, '--yes']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('see ')]);
    expect(await readdir(at)).toContain('permits.csv.rejects.ndjson');
  });

  it('leaves a store with a register of that name as it is', async () => {
    const { at, args } = await place();
    expect((await gazette([...args, '--yes'])).code).toBe(0);
    const again = await gazette([...args, '--yes', '--replace']);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('has a register permits: choose another name with --feed-id'),
    ]);
    const list = await gazette(['register', 'list', '--config', join(at, 'gazette.json')]);
    expect(list.stdout.toString()).toContain('3 records');
  });

  it('writes no password', async () => {
    const { at, args } = await place();
    const store = 'postgres://u:hunter2@127.0.0.1:1/x';
    const { code, stderr } = await gazette([...args, '--yes', '--store', store]);
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('hunter2')]);
    expect(await readdir(at)).toEqual(['permits.csv']);
    const file = join(at, 'permits.csv');
    const guessed = guessing(file, process, new AbortController().signal);
    const plan = await planFor(file, { map: [], type: [] }, guessed);
    expect(contentOf(plan, 'gazette.json', { store })).not.toHaveProperty('store');
    const without = 'postgres://127.0.0.1/x';
    expect(contentOf(plan, 'gazette.json', { store: without })).toHaveProperty('store', without);
  });
});

it.each([
  'The id of the register',
  'The title of the register',
  'Who may read it',
  'The column of the id',
  'The column of the title',
  'The column of the date of publication',
  'The source of a record',
  'Write ',
  'created the register',
])('leaves nothing when it is interrupted at: %s', async (moment) => {
  const { at, args } = await place();
  const { code, said } = await atTerminal([...args], '\n'.repeat(8), (text, stop) => {
    if (text.includes(moment)) stop.abort();
  });
  expect([code, said]).toEqual([1, expect.stringContaining('interrupted (aborted)')]);
  expect(await readdir(at)).toEqual(['permits.csv']);
});
