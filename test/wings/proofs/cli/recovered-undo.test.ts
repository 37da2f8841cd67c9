// A store that took back what an undo of its source did, under numbers of imports that it gives to others itself.
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepSigning } from '../../../../src/wings/proofs/cli/signing/signing.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { until } from '../../../until.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { surroundings } from '../../../cli/surroundings.ts';
import { logsOf } from '../logs-of.ts';

it('takes no import of its own for the one that was taken back', async () => {
  const place = await folder();
  const [path, backup, logState] = ['store.db', 'backup.db', 'state'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  const run = async (store: string, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await gazette([...args, '--store', `sqlite:${store}`]);
    return `${code} ${stdout.toString()}${stderr}`;
  };
  const file = async (name: string, b: string): Promise<string> => {
    const csv = `id,title,source_url,published_at\nA,Alpha,https://a.example/,2026-01-01\nB,${b},https://b.example/,2026-01-01\n`;
    await writeFile(join(place, name), csv);
    return join(place, name);
  };
  const sign = async (): Promise<void> => {
    const store = SqliteStore.open(path);
    const { io } = surroundings({ GAZETTE_LOG_KEY: '07'.repeat(32) });
    const signing = keepSigning(io, store, { logState, baseUrl: 'https://registers.example.org' })!;
    await until('a signature', async () => (await logsOf(store).unsigned()).length === 0);
    await signing.stop();
    await store.close();
  };
  const [beta, second] = [await file('1.csv', 'Beta'), await file('2.csv', 'Beta 2')];
  await run(path, 'register', 'add', 'd', '--title', 'D', '--authority', 'd.example,2026');
  expect(await run(path, 'import', 'd', beta)).toMatch(/^0 /);
  await sign();
  await copyFile(path, backup);
  expect(await run(path, 'import', 'd', beta)).toMatch(/^0 /);
  expect(await run(path, 'import', 'd', second)).toMatch(/^0 /);
  expect(await run(path, 'imports', 'undo', 'd', '3')).toMatch(/^0 /);
  await sign();
  expect(await run(path, 'import', 'd', second)).toMatch(/^1 .*import_stopped/s);

  const from = ['--from', `sqlite:${path}`, '--log-state', logState];
  expect(await run(backup, 'log', 'recover', 'd', ...from)).toMatch(/^0 /);
  expect(await run(backup, 'record', 'correct', 'd:A', '--set', 'title=Alpha 2')).toMatch(/^0 /);
  expect(await run(backup, 'import', 'd', second)).toMatch(/^1 .*import_stopped/s);
  expect(await run(backup, 'record', 'show', 'd:B')).toContain('Beta\n');
});
