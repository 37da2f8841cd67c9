// `gazette doctor` through the real command line.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { folder, gazette } from './run.ts';
import { makeStore, serve } from './served.ts';

async function filled(): Promise<string> {
  const path = join(await folder(), 'store.db');
  const store = SqliteStore.open(path);
  await store.createRegister(permits());
  await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
  await store.apply('permits', [say('b', { title: 'Changed' })], { recordedAt: at(1) });
  await store.close();
  return path;
}

it('says that a store is whole, and how many versions it checked, and changes nothing', async () => {
  const path = await filled();
  const before = await readFile(path);
  const { code, stdout, stderr } = await gazette(['doctor', '--store', path]);
  expect([code, stdout.toString(), stderr]).toEqual([
    0,
    '',
    [
      'gazette: catalogues for portals have the title in place of a description: permits',
      'gazette: catalogues for portals name the service as the publisher (author): permits',
      'gazette: catalogues for portals have no licence (rights), but for --licence-url of the service: permits',
      'gazette: catalogues for portals do not say the language: permits',
      `gazette: ${path} is whole: checked 3 versions\n`,
    ].join('\n'),
  ]);
  expect((await readFile(path)).equals(before)).toBe(true);
});

it('names every wrong row with its record and version, and ends with 1', async () => {
  const path = await filled();
  const database = new DatabaseSync(path);
  database.exec("UPDATE records SET title = 'Forged' WHERE id = 'permits:b'; UPDATE registers SET live = 7");
  database.close();
  const { code, stdout, stderr } = await gazette(['doctor', '--store', path]);
  expect(stdout.toString()).toBe(
    `versions, entry 4294967299 (record permits:b, version 2): commitment must be that of its salt and of what record permits:b said in content 2
registers, number 1 (register permits): live must be 2, by the log of the register, got 7
term_postings, segment 1048576, term changed (record permits:b): positions must be those of the records with the term
term_postings, segment 1048576, term forged (record permits:b): positions must be those of the records with the term
`,
  );
  expect([code, stderr]).toEqual([1, `gazette: the store ${path} has 4 findings (invalid_store)\n`]);
  const asJson = await gazette(['doctor', '--json', '--store', path]);
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout.toString())).toMatchObject({
    found: 4,
    versions: 3,
    notes: [],
    findings: [
      { table: 'versions', row: 'entry 4294967299', feed_id: 'permits', record_id: 'permits:b', version: 2 },
      { table: 'registers', row: 'number 1', feed_id: 'permits', record_id: null, version: null },
      { table: 'term_postings', row: 'segment 1048576, term changed', record_id: 'permits:b' },
      { table: 'term_postings', row: 'segment 1048576, term forged', record_id: 'permits:b' },
    ],
  });
});

it('refuses a file that is damaged beyond reading, without a stack', async () => {
  const path = await filled();
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0xaa, 100));
  const { code, stderr } = await gazette(['doctor', '--store', path]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^gazette: the store .* \(invalid_store\)\n$/);
});

it('checks the settings, and compares the registers of gazette.json with the store', async () => {
  const path = await filled();
  const file = join(path, '../gazette.json');
  const definition = { id: 'permits', title: 'Other', fields: [{ name: 'fee', type: 'number', label: 'Fee' }] };
  const registers = [{ definition }, { definition: { id: 'later', title: 'Later' } }];
  const examined = async (settings: object, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    await writeFile(file, JSON.stringify({ store: path, ...settings, registers }));
    const { code, stdout, stderr } = await gazette(['doctor', '--config', file], '', env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the register later of ')]);
    return stdout.toString();
  };
  const { definition: stored } = JSON.parse(
    (await gazette(['register', 'show', 'permits', '--json', '--store', path])).stdout.toString(),
  ) as { definition: { title: string } };
  expect(await examined({})).toContain(`the register permits: title is "Other", in the store "${stored.title}"\n`);
  expect(await examined({})).toContain('the register permits: the store has no field fee\n');
  expect(await examined({ limit_key: 'x' })).toContain('(limit_key): "x" is invalid for --limit-key.');
  expect(await examined({ keys_url: 'keys' })).toContain('keysUrl must be an absolute http(s) URL');
  const env = { GAZETTE_PROT: '80', GAZETTE_SECRETS_KEY: 'short' };
  const said = await examined({}, env);
  expect(said).toContain('GAZETTE_PROT sets no option; did you mean GAZETTE_PORT?\n');
  expect(said).toMatch(/GAZETTE_SECRETS_KEY must be/);
  expect(said).not.toContain('short');
});

it('says what the world sees, if it is told the public address', async () => {
  const { path } = await makeStore(2);
  const { api, child, ended } = await serve(path);
  const origin = new URL(api).origin;
  const right = await gazette(['doctor', '--store', path, '--base-url', origin]);
  expect([right.code, right.stdout.toString()]).toEqual([0, '']);
  const other = await filled();
  expect((await gazette(['register', 'add', 'notices', '--title', 'N', '--store', other])).code).toBe(0);
  const wrong = await gazette(['doctor', '--store', other], '', { GAZETTE_BASE_URL: origin });
  expect([wrong.code, wrong.stdout.toString()]).toEqual([1, `${origin} does not have what the store has: notices\n`]);
  child.kill('SIGTERM');
  await ended;
});

it('names registers that wait for a file longer than they say', async () => {
  const path = join(await folder(), 'store.db');
  const run = (...args: readonly string[]) => gazette([...args, '--store', path]);
  const definition = join(await folder(), 'r.json');
  await writeFile(definition, JSON.stringify({ id: 'r', title: 'R', created_at: '2020-01-01T00:00:00Z', every: '7d' }));
  await run('register', 'add', 'r', '--definition', definition);
  const { code, stdout } = await run('doctor');
  expect([code, stdout.toString()]).toEqual([
    1,
    expect.stringMatching(/^registers \(register r\): nothing taken in for [\d,]+ days, expected every 7 days\n$/),
  ]);
  const file = join(await folder(), 'a.ndjson');
  await writeFile(file, '{"id":"1","title":"T","source_url":"https://example.org/"}\n');
  await run('import', 'r', file);
  expect(await run('doctor')).toMatchObject({ code: 0 });
  await run('register', 'update', 'r', '--every', '2w');
  expect((await run('register', 'show', 'r')).stdout.toString()).toMatch(/^every +2w$/m);
  await run('register', 'update', 'r', '--every', 'none');
  expect((await run('register', 'show', 'r')).stdout.toString()).not.toMatch(/^every/m);
});
