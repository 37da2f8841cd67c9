// `gazette init`: files as offices have them are published as they are meant, with the defaults accepted.
import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NESTED, OFFICE, workbook } from './office-files.ts';
import { ending, folder, GAZETTE } from './run.ts';

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
        data: { gebuehr: null, plz: '10115' },
      },
      { title: 'Umbau; Anbau', published_at: '2026-05-03', data: { gebuehr: 80 } },
      { title: 'Erweiterung', published_at: '2026-04-17', data: { gebuehr: 1234.5, plz: '01234' } },
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
