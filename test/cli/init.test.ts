// `gazette init`: files as offices have them are published as they are meant, with the defaults accepted; questions; and
// what is left where it does not end well.
import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contentOf } from '../../src/cli/commands/init/content.ts';
import { planFor } from '../../src/cli/commands/init/plan.ts';
import { readConfiguration } from '../../src/cli/configuration/file.ts';
import { run } from '../../src/cli/main.ts';
import { NESTED, OFFICE, workbook } from './office-files.ts';
import { ending, folder, GAZETTE, gazette } from './run.ts';

/** Runs `gazette init` as its user would, in this folder, and asks the service that it starts. */
async function published(
  at: string,
  ...args: readonly string[]
): Promise<{ readonly records: readonly unknown[]; readonly said: string }> {
  const env = { ...process.env, GAZETTE_PORT: '0' };
  const child = spawn(process.execPath, [GAZETTE, 'init', ...args], { cwd: at, env, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = ending(child);
  let said = '';
  const api = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => {
      reject(new Error(said));
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /serving .* on (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const [feed] = ((await (await fetch(`${api}/feeds`)).json()) as { feeds: { feed_id: string }[] }).feeds;
  const answer = (await (await fetch(`${api}/feeds/${feed!.feed_id}/records`)).json()) as { records: unknown[] };
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  return { records: answer.records, said };
}

describe('with the defaults accepted, it serves', () => {
  it('a file of an office: semicolons, Windows-1252, decimal commas', async () => {
    const at = await folder();
    await writeFile(join(at, 'Bescheide Übersee.csv'), OFFICE);
    const { records, said } = await published(at, 'Bescheide Übersee.csv', '--yes');
    expect(records).toMatchObject([
      {
        id: 'bescheide-uebersee:2026~2F3',
        title: 'Abriß',
        published_at: '2026-05-13',
        data: { gebuhr: null, plz: '10115' },
      },
      { title: 'Umbau; Anbau', published_at: '2026-05-03', data: { gebuhr: 80 } },
      { title: 'Erweiterung', published_at: '2026-04-17', data: { gebuhr: 1234.5, plz: '01234' } },
    ]);
    expect(said).toContain('warning: no column of the file has the address of a record’s source');
    expect((await readdir(at)).filter((name) => !name.startsWith('gazette.db')).sort()).toEqual([
      'Bescheide Übersee.csv',
      'gazette.json',
    ]);
  });

  it('a workbook with a cover sheet', async () => {
    const at = await folder();
    await writeFile(join(at, 'discharges.xlsx'), await workbook());
    const { records } = await published(at, 'discharges.xlsx', '--yes');
    expect(records).toMatchObject([
      {
        id: 'discharges:D-2',
        title: 'Brewery',
        published_at: '2026-02-09',
        source_url: 'https://exampleton.example/d/2',
        data: { volume: 7 },
      },
      { id: 'discharges:D-1', title: 'Mill', published_at: '2026-02-03', data: { volume: 12.5 } },
    ]);
  });

  it('a nested JSON document', async () => {
    const at = await folder();
    await writeFile(join(at, 'water.json'), JSON.stringify(NESTED));
    const { records } = await published(at, 'water.json', '--yes');
    expect(records).toMatchObject([
      {
        id: 'water:W~2F8',
        title: 'Ford',
        published_at: '2026-03-04',
        source_url: 'https://exampleton.example/w/8',
        data: { depth: 2 },
      },
      { id: 'water:W~2F7', title: 'Weir', published_at: '2026-03-01', data: { depth: 1.5 } },
    ]);
  });
});

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
      'decisions\nDecisions of Exampleton\n\nAktenzeichen\n\nhttps://exampleton.example/{+Aktenzeichen}\n\n';
    const { code, said } = await atTerminal(args, answers);
    expect([code, said]).toEqual([0, expect.stringContaining('The column of the title [Vorhaben]: ')]);
    const { registers } = readConfiguration(join(at, 'gazette.json'));
    expect(registers[0]!.definition).toMatchObject({ id: 'decisions', title: 'Decisions of Exampleton' });
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
    const { code, said } = await atTerminal(args, '\n\n\n\n\n\n\n');
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
      '\n\n\n\n\n\n',
    );
    expect([named.code, named.said.includes('not known')]).toEqual([0, false]);
    expect(at).not.toBe(known.at);
  });

  it('take no as no, and the end of the input', async () => {
    for (const answers of ['\n\n\n\n\n\nn\n', '\n\n']) {
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
    const plan = await planFor(join(at, 'permits.csv'), { map: [], type: [] }, process, new AbortController().signal);
    expect(contentOf(plan, 'gazette.json', { store })).not.toHaveProperty('store');
    const without = 'postgres://127.0.0.1/x';
    expect(contentOf(plan, 'gazette.json', { store: without })).toHaveProperty('store', without);
  });
});

it.each(['The column of the id', 'created the register'])(
  'leaves nothing when it is interrupted at: %s',
  async (moment) => {
    const { at, args } = await place();
    const { code, said } = await atTerminal([...args], '\n'.repeat(7), (text, stop) => {
      if (text.includes(moment)) stop.abort();
    });
    expect([code, said]).toEqual([1, expect.stringContaining('interrupted (aborted)')]);
    expect(await readdir(at)).toEqual(['permits.csv']);
  },
);
