// The answers that programs read hold to their published schemas.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { schemaFiles, schemaPath } from '../../fixtures/schemas.ts';
import { folder, gazette } from './run.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

/** Whether an answer fits a published schema; here one may have no member that the schema does not name. */
async function validator(name: string): Promise<(answer: unknown) => unknown> {
  const path = new URL(`../../src/cli/schemas/${name}.schema.json`, import.meta.url);
  const schema = JSON.parse(await readFile(path, 'utf8'), closeObjects) as { $id: string };
  const validate = ajv.getSchema(schema.$id) ?? ajv.compile(schema);
  return (answer) => (validate(answer) === true ? null : validate.errors);
}

function closeObjects(_: string, value: unknown): unknown {
  const isObjectSchema = typeof value === 'object' && value !== null && 'properties' in value && 'required' in value;
  return isObjectSchema ? { ...value, additionalProperties: false } : value;
}

/** Runs commands on one store and reads their answers. */
async function answering(env: Readonly<Record<string, string>> = {}): Promise<{
  readonly store: string;
  readonly run: (args: readonly string[], input?: string) => Promise<unknown>;
}> {
  const store = join(await folder(), 'store.db');
  const run = async (args: readonly string[], input = ''): Promise<unknown> => {
    const { code, stdout } = await gazette([...args, '--json', '--store', store], input, env);
    expect(code).toBe(0);
    return JSON.parse(stdout.toString());
  };
  return { store, run };
}

it('every --json answer fits its schema, with no member that the schema does not name', async () => {
  const { store, run } = await answering();
  const lines = (title: string): string =>
    ['1', '2'].map((id) => JSON.stringify({ id, title, source_url: 'https://example.org/', n: 5 })).join('\n');
  const take = (title: string, ...more: string[]) =>
    run(['import', 'r', '-', '--format', 'ndjson', ...more], lines(title));
  for (const [name, answer] of [
    ['register', await run(['register', 'add', 'r', '--title', 'R'])],
    ['import', await take('A')],
    ['import', await take('B', '--dry-run', '--withdraw-missing', '--order', 'newest-first')],
    ['import', await take('B')],
    ['registers', await run(['register', 'list'])],
    ['register', await run(['register', 'show', 'r'])],
    ['record', await run(['record', 'show', 'r:1'])],
    ['imports', await run(['imports', 'list', 'r'])],
    ['import', await take('C', '--propose')],
    ['proposal', await run(['imports', 'show', 'r', '3'])],
    ['proposal', await run(['imports', 'discard', 'r', '3'])],
    ['proposal', await run(['imports', 'undo', 'r', '2'])],
    ['redaction', await run(['record', 'redact', 'r:2', '--yes'])],
    ['redaction', await run(['record', 'redact', 'r:2', '--lift'])],
  ] as const) {
    expect((await validator(name))(answer), name).toBeNull();
  }
  expect((await gazette(['record', 'redact', 'r:1', '--yes', '--store', store])).code).toBe(0);
  expect((await validator('record'))(await run(['record', 'show', 'r:1']))).toBeNull();
  expect((await validator('import'))({ feed_id: 'r' })).toMatchObject([{ keyword: 'required' }]);
});

it('so does every answer about accounts and keys', async () => {
  const { run } = await answering();
  for (const [name, answer] of [
    ['account', await run(['account', 'add', 'acme'])],
    ['key', await run(['key', 'create', 'acme'])],
    ['key', await run(['key', 'rotate', 'acme', '--grace', '0.5'])],
    ['key', await run(['key', 'update', 'acme', '--name', 'Website'])],
    ['key', await run(['key', 'revoke', 'acme'])],
    ['account', await run(['account', 'extend', 'acme', '--until', '2027-01-01'])],
    ['accounts', await run(['account', 'list'])],
    ['keys', await run(['key', 'list', 'acme'])],
  ] as const) {
    expect((await validator(name))(answer), name).toBeNull();
  }
});

it('so does every answer about editors', async () => {
  const { run } = await answering();
  await run(['register', 'add', 'r', '--title', 'R']);
  for (const [name, answer] of [
    ['editor', await run(['editor', 'add', 'anna', '--email', 'anna@example.org'])],
    ['editor', await run(['editor', 'change', 'anna', '--feed', 'r', '--role', 'review'])],
    ['editors', await run(['editor', 'list'])],
    ['editor-log', await run(['editor', 'log'])],
  ] as const) {
    expect((await validator(name))(answer), name).toBeNull();
  }
});

it('so does every answer about webhooks', async () => {
  const { run } = await answering({ GAZETTE_SECRETS_KEY: 'ab'.repeat(32) });
  await run(['account', 'add', 'acme', '--until', '2999-01-01']);
  const added = (await run(['webhook', 'add', 'acme', 'https://8.8.8.8/hook', '--event', 'record.updated'])) as {
    readonly id: string;
  };
  const test = (await run(['webhook', 'test', added.id])) as { readonly id: string };
  for (const [name, answer] of [
    ['webhook', added],
    ['webhook', await run(['webhook', 'rotate-secret', added.id])],
    ['webhook', await run(['webhook', 'rotate-secret', added.id, '--activate'])],
    ['rekey', await run(['webhook', 'rekey'])],
    ['webhook', await run(['webhook', 'disable', added.id])],
    ['webhook', await run(['webhook', 'enable', added.id])],
    ['webhooks', await run(['webhook', 'list'])],
    ['delivery', test],
    ['delivery', await run(['webhook', 'deliveries', test.id])],
    ['deliveries', await run(['webhook', 'deliveries', added.id])],
    ['replay', await run(['webhook', 'replay', test.id])],
  ] as const) {
    expect((await validator(name))(answer), name).toBeNull();
  }
});

it('the published files are what npm run schemas makes of the answers', async () => {
  const files = await schemaFiles();
  const folder = dirname(schemaPath('x'));
  expect((await readdir(folder)).filter((name) => name.endsWith('.json')).sort()).toEqual([...files.keys()].sort());
  for (const [name, text] of files) expect(await readFile(schemaPath(name), 'utf8'), name).toBe(text);
});
