// `gazette serve` in processes of its own, with what gazette.json says.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../until.ts';
import { ending, folder, gazette, start } from './run.ts';
import { makeStore, serve } from './served.ts';

it('a service in a process of its own takes all of it', async () => {
  const { path } = await makeStore(3);
  const file = join(await folder(), 'gazette.json');
  await writeFile(file, JSON.stringify({ title: 'Registers of Uster', limit_address: '8/3600' }));
  const { api, child, ended } = await serve(path, '--config', file);
  const { info } = (await (await fetch(`${api}/openapi.json`)).json()) as { info: { title: string } };
  expect(info.title).toBe('Registers of Uster');
  expect((await fetch(`${api}/feeds/permits/changes`)).headers.get('ratelimit-policy')).toBe('"address";q=8;w=3600');
  child.kill('SIGTERM');
  await ended;
});

it('a service makes the registers of gazette.json once, and imports read files as it says', async () => {
  const place = await folder();
  const file = join(place, 'gazette.json');
  const reading = {
    delimiter: ';',
    decimal_comma: true,
    map: ['id=Nr,title=Name,source_url=https://example.org/{Nr}'],
  };
  const definition = { id: 'permits', title: 'Permits', fields: [{ name: 'fee', type: 'number', label: 'Fee' }] };
  const registers = [{ definition, import: { file: 'permits.csv', ...reading } }];
  await writeFile(file, JSON.stringify({ store: 'sqlite:gazette.db', registers }));
  await writeFile(join(place, 'permits.csv'), 'Nr;Name;Fee\n1;Ford;1,5\n');
  const shown = async (id: string): Promise<unknown> => {
    const { stdout } = await gazette(['record', 'show', `permits:${id}`, '--json', '--config', file]);
    return (JSON.parse(stdout.toString()) as { record: unknown }).record;
  };
  for (const said of [/created the register permits/, /^(?!.*created)/s]) {
    const child = start(['serve', '--config', file, '--port', '0']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = ending(child);
    let told = '';
    child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await until('the service', () => /serving .* on http/.test(told));
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect([code, stdout.toString()]).toEqual([0, '']);
    expect(stderr).toMatch(said);
    expect(await shown('1')).toMatchObject({ title: 'Ford', data: { fee: 1.5 } });
    // What the file says later is for an import to bring.
    await writeFile(join(place, 'permits.csv'), 'Nr;Name;Fee\n1;Changed;1,5\n');
  }
  await writeFile(join(place, 'next.csv'), 'Nr;Name;Fee\n2;Weir;1.000,25\n');
  expect((await gazette(['import', 'permits', join(place, 'next.csv'), '--config', file])).code).toBe(0);
  expect(await shown('2')).toMatchObject({ title: 'Weir', data: { fee: 1000.25 } });
  const { code, stderr } = await gazette([
    'import',
    'permits',
    join(place, 'next.csv'),
    '--config',
    file,
    '--delimiter',
    'ab',
  ]);
  expect([code, stderr]).toEqual([2, expect.not.stringContaining('gazette.json')]);
});
