// The clients that generators make of the service's document and of two registers', compiled under strict settings and run
// against the service: a list, filters of own fields, an export, what is sold, an account.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/adapters/server.ts';
import type { Field } from '../../src/register/record.ts';
import { at, say } from '../contracts/store-register.ts';
import { openShop, type Shop } from '../wings/selling/shop.ts';
import { commands, programs } from '../docs/blocks.ts';
import { loadJudge } from './tools.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const MODULES = join(HERE, 'node_modules');
const TSC = join(HERE, '../../node_modules/typescript/bin/tsc');
const TYPES = join(HERE, '../../node_modules/@types');

/** Documents, by the names that what is generated of them has. */
const DOCUMENTS = {
  service: '/openapi.json',
  permits: '/feeds/permits/openapi.json',
  notices: '/feeds/notices/openapi.json',
} as const;

/** A document, and where its client is put. */
interface Generated {
  readonly name: string;
  readonly document: string;
  readonly folder: string;
}

/** The generators, each with how it is asked. */
const GENERATORS: Readonly<Record<string, (generated: Generated) => Promise<void>>> = {
  'openapi-fetch': async ({ name, document, folder }) => {
    const cli = join(MODULES, 'openapi-typescript/bin/cli.js');
    await run(process.execPath, [cli, document, '--output', join(folder, `${name}.ts`)]);
  },
  'hey-api': async ({ name, document, folder }) => {
    const { createClient } = await loadJudge<{ createClient: (options: object) => Promise<unknown> }>(
      '@hey-api/openapi-ts',
    );
    const output = { path: join(folder, name), module: { extension: '.ts' } };
    await createClient({ input: document, output, logs: { level: 'silent' } });
  },
  orval: async ({ name, document, folder }) => {
    const { generate } = await loadJudge<{ generate: (options: object) => Promise<unknown> }>('orval');
    await generate({
      input: document,
      output: {
        ...{ target: join(folder, `${name}.ts`), client: 'fetch', mode: 'single' },
        baseUrl: { getBaseUrlFromSpecification: true },
      },
    });
  },
};

const field = (name: string, type: Field['type']): Field => ({ name, label: name, type, filterable: true });

describe('the clients of generators', () => {
  let shop: Shop;
  let server: RunningServer;
  const folders: string[] = [];

  beforeAll(async () => {
    shop = await openShop({ records: 12 });
    const { store } = shop;
    const update = async (id: string, fields: readonly Field[], more: object): Promise<void> => {
      const { definition } = (await store.register(id))!;
      await store.updateRegister({ ...definition, ...more, fields }, { recordedAt: at(1) });
      while ((await store.finding?.incomplete())?.includes(id) === true) await store.finding!.build(id);
    };
    await update('permits', [field('amount', 'integer')], {});
    await update('notices', [field('place', 'text'), field('is_new', 'boolean')], { access: 'open' });
    const notice = (key: string, isNew: boolean): ReturnType<typeof say> =>
      say(key, { data: { place: `Place ${key}`, is_new: isNew } }, 'notices');
    await store.apply('notices', [notice('a', true), notice('b', false)], { recordedAt: at(2) });
    server = await startServer(shop.fetch, { port: 0, host: '127.0.0.1' });
  });

  afterAll(async () => {
    await server.stop(0);
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** An empty folder with the packages that clients import. */
  function clientFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'gazette-client-'));
    folders.push(folder);
    symlinkSync(MODULES, join(folder, 'node_modules'));
    return folder;
  }

  /** Checks the types of everything in it. */
  async function compile(folder: string): Promise<void> {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const compilerOptions = {
      ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, allowImportingTsExtensions: true },
      ...{ target: 'es2024', module: 'esnext', moduleResolution: 'bundler', lib: ['es2024', 'dom', 'dom.iterable'] },
      ...{ types: ['node'], typeRoots: [TYPES], skipLibCheck: true },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*/*.ts'] }));
    await run(process.execPath, [TSC, '-p', folder]).catch((error: unknown) => {
      throw new Error((error as { readonly stdout: string }).stdout, { cause: error });
    });
  }

  it('are made, compile and read as the page on clients says', async () => {
    const folder = clientFolder();
    for (const command of commands('docs/client.md')) {
      const asked = command.replace('npx ', '').replace('https://registers.example.org', server.url).trim();
      const [program, ...args] = asked.split(' ');
      await run(join(MODULES, '.bin', program!), args, { cwd: folder });
    }
    writeFileSync(join(folder, 'typed.ts'), programs().get('typed.ts')!);
    await compile(folder);
    const env = { ...process.env, GAZETTE_API_KEY: shop.key };
    const { stdout } = await run(process.execPath, [join(folder, 'typed.ts'), server.url], { env });
    expect(stdout).toBe('Permit number 12 12\nPermit number 11 11\n');
  });

  it.each(Object.keys(GENERATORS))('of %s compile, and do what they are asked', async (generator) => {
    const folder = clientFolder();
    for (const [name, path] of Object.entries(DOCUMENTS)) {
      const document = join(folder, `${name}.json`);
      writeFileSync(document, await (await fetch(`${server.url}/api/v1${path}`)).text());
      await GENERATORS[generator]!({ name, document, folder });
    }
    copyFileSync(join(HERE, 'generators', `${generator}.ts.txt`), join(folder, 'main.ts'));
    await compile(folder);
    const main = join(folder, 'main.ts');
    const { stdout } = await run(process.execPath, [main, `${server.url}/api/v1`, shop.key, shop.asker]);
    expect(JSON.parse(stdout)).toEqual({
      ...{ ids: ['permits:012', 'permits:009', 'permits:006'], hasView: true, csv: 4, account: 'acme' },
      ...{ refused: 'payment_required', bought: 'permits:001', amounts: [8, 7], places: ['Place a'] },
    });
  });
});
