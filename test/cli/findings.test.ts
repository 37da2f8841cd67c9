// What an import finds in a file, as a user of the command line is told of it, and says what is done with it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/cli/configuration/file.ts';
import { makeRegisters } from '../../src/cli/process/making-registers.ts';
import { type Ending, folder, gazette } from './run.ts';

const NEVER = new AbortController().signal;

/** A folder with a store, and `gazette` on it. */
async function place() {
  const path = await folder();
  const store = join(path, 'store.db');
  const run = (...args: readonly string[]): Promise<Ending> => gazette([...args, '--store', store], '');
  const write = async (name: string, content: string): Promise<string> => {
    await writeFile(join(path, name), content);
    return join(path, name);
  };
  return { store, run, write };
}

const file = (day: string): string =>
  `id,title,source_url,published_at\n${['a', 'b', 'c'].map((id) => `${id},Title,https://example.org/,${day}\n`).join('')}`;
const answer = ({ stdout }: Ending): unknown => JSON.parse(stdout.toString());

describe('what is found in a file', () => {
  it('is told beside what was done, or stops the import where the register says so', async () => {
    const { run, write } = await place();
    await run('register', 'add', 'r', '--title', 'R', '--finding', 'odd-dates=stop');
    await run('import', 'r', await write('a.csv', file('2020-01-01')));
    const odd = await write('b.csv', file('1820-01-01'));
    const found = 'dates before 1900 or in the future: published_at (in 3 records: "1820-01-01")';
    const stopped = await run('import', 'r', odd);
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain(`${found}: say with --accept odd-dates that it is meant; kept as proposal 2`);
    expect((await run('imports', 'show', 'r', '2')).stdout.toString()).toContain(`stops: odd-dates: ${found}`);

    expect(await run('register', 'update', 'r', '--finding', 'odd-dates=warn, factor=ignore')).toMatchObject({
      code: 0,
    });
    expect((await run('register', 'show', 'r')).stdout.toString()).toMatch(
      /finding odd-dates +warn\nfinding factor +ignore/,
    );
    expect(answer(await run('register', 'show', 'r', '--json'))).toMatchObject({
      findings: { 'odd-dates': 'warn', factor: 'ignore' },
    });
    const dry = await run('import', 'r', odd, '--dry-run', '--json');
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining(`gazette: warning: ${found}\n`) as string });
    expect(answer(dry)).toMatchObject({ findings: [{ code: 'odd-dates', stops: false, message: found }] });
  });

  it('is not said of what is no finding, and nothing is changed then', async () => {
    const { run } = await place();
    await run('register', 'add', 'r', '--title', 'R');
    const refused = await run('register', 'update', 'r', '--title', 'S', '--finding', 'odd-date=warn');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('got "odd-date=warn"') as string });
    expect(answer(await run('register', 'show', 'r', '--json'))).toMatchObject({ definition: { title: 'R' } });
  });

  it('does what gazette.json says, from the first file on', async () => {
    const { store, run, write } = await place();
    await write('a.csv', file('1820-01-01'));
    const definition = { id: 'r', title: 'R' };
    const registers = [{ definition, import: { file: 'a.csv' }, findings: { 'odd-dates': 'ignore' } }];
    const configuration = readConfiguration(await write('gazette.json', JSON.stringify({ registers })));
    const told: string[] = [];
    const stderr = { write: (text: string) => told.push(text) };
    await makeRegisters(
      configuration,
      { store },
      { stdin: process.stdin, stdout: stderr, stderr, env: {} } as never,
      NEVER,
    );
    expect(told.join('')).toContain('created the register r');
    expect(told.join('')).not.toContain('1820');
    expect(answer(await run('register', 'show', 'r', '--json'))).toMatchObject({
      ...{ records: 3, findings: { 'odd-dates': 'ignore' } },
    });
    const wrong = await write(
      'gazette.json',
      JSON.stringify({ registers: [{ definition, findings: { odd: 'warn' } }] }),
    );
    expect(() => readConfiguration(wrong)).toThrow('registers[0].findings');
  });
});
