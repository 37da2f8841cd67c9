// Options that are not arguments: variables of the environment and gazette.json, their order, and what is refused.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  type AnyOptions,
  type Command,
  type Runnable,
  type Undescribed,
  command,
  list,
  setting,
  text,
  variableOf,
} from '../../src/cli/command.ts';
import { importCommand } from '../../src/cli/commands/import.ts';
import { serveCommand } from '../../src/cli/commands/serve.ts';
import { readConfiguration } from '../../src/cli/configuration/file.ts';
import { loadCommands } from '../../src/cli/main.ts';
import { createProgram, optionsOf } from '../../src/cli/program.ts';
import { folder, gazette } from './run.ts';
import { makeStore } from './served.ts';

const NO_SIGNAL = new AbortController().signal;

/** A folder with a gazette.json. */
async function configured(content: unknown): Promise<string> {
  const path = join(await folder(), 'gazette.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** What `gazette serve` is given, without serving. */
async function served(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  return given(['serve', ...args], { serve: serveCommand }, env);
}

/** What the command of these arguments is given, without running it. */
async function given(
  args: readonly string[],
  commands: Readonly<Record<string, Runnable>>,
  env: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  let options: Record<string, unknown> = {};
  const told = (one: Undescribed): Undescribed => ({ ...one, run: (_, values) => void (options = values) });
  const noted = Object.entries(commands).map(([name, one]) => [
    name,
    'commands' in one
      ? { ...one, commands: Object.fromEntries(Object.entries(one.commands).map(([sub, leaf]) => [sub, told(leaf)])) }
      : told(one),
  ]);
  const sources = { env, read: readConfiguration };
  const program = createProgram(Object.fromEntries(noted) as typeof commands, { ...process, env }, NO_SIGNAL, {
    sources,
  });
  await program.parseAsync(args, { from: 'user' });
  return options;
}

describe('the order of sources', () => {
  it('is argument, variable, gazette.json, HOST and PORT, default', async () => {
    const file = await configured({ port: 3 });
    const empty = await configured({});
    const all = { GAZETTE_PORT: '2', PORT: '4', HOST: '::1' };
    const port = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<unknown> =>
      (await served(args, env)).port;
    expect(await port(['--port', '1', '--config', file], all)).toBe(1);
    expect(await port(['--config', file], all)).toBe(2);
    expect(await port(['--config', file], { PORT: '4' })).toBe(3);
    expect(await port(['--config', empty], { PORT: '4' })).toBe(4);
    expect(await port([], { GAZETTE_CONFIG: file })).toBe(3);
    expect(await port([], { GAZETTE_PORT: '', PORT: '' })).toBe(8080);
    expect(await served([], { HOST: '::1' })).toMatchObject({ host: '::1' });
    expect(await served([], { HOST: '::1', GAZETTE_HOST: '::2' })).toMatchObject({ host: '::2' });
  });

  it('is that of a flag too which a variable takes away from an import in gazette.json', async () => {
    const file = await configured({
      registers: [{ definition: { id: 'r', title: 'R' }, import: { file: 'a.csv', decimal_comma: true } }],
    });
    const decimalComma = async (env: Readonly<Record<string, string>>): Promise<unknown> =>
      (await given(['import', 'r', 'a.csv', '--config', file], { import: importCommand }, env)).decimalComma;
    expect(await decimalComma({})).toBe(true);
    expect(await decimalComma({ GAZETTE_IMPORT_DECIMAL_COMMA: 'false' })).toBeUndefined();
  });

  it('takes lists whole from one source, and flags in words', async () => {
    const file = await configured({
      mcp_allow_origin: ['https://a', 'https://b'],
      trust_proxy: true,
      log_callers: false,
    });
    expect(await served(['--config', file], {})).toMatchObject({
      mcpAllowOrigin: ['https://a', 'https://b'],
      trustProxy: true,
      logCallers: false,
    });
    const env = {
      GAZETTE_MCP_ALLOW_ORIGIN: 'https://c, https://d',
      GAZETTE_TRUST_PROXY: 'off',
      GAZETTE_LOG_CALLERS: 'yes',
    };
    const options = await served(['--config', file], env);
    expect(options).toMatchObject({ mcpAllowOrigin: ['https://c', 'https://d'], logCallers: true });
    expect(options.trustProxy).toBeUndefined();
    expect(await served(['--mcp-allow-origin', 'https://e'], env)).toMatchObject({ mcpAllowOrigin: ['https://e'] });
    expect(await served([], { GAZETTE_FORMAT_MODULE: 'a,b.ts\nc.ts\n' })).toMatchObject({
      formatModule: ['a,b.ts', 'c.ts'],
    });
  });

  it('is that of any command’s options: a setting has one variable, others those of their command', async () => {
    const env = { GAZETTE_SMTP: 'smtp://h', GAZETTE_KEY_CREATE_SCOPE: 'a,b' };
    const smtp = text('<url>', 'the mail server');
    const leaf = (options: AnyOptions): Command =>
      command({ description: '', arguments: [], options, run: () => undefined });
    const commands = {
      send: leaf({ smtp: setting(smtp) }),
      tell: leaf({ smtp }),
      key: { description: '', commands: { create: leaf({ scope: list('<name>', 'a scope', 'read') }) } },
    };
    expect(await given(['send'], commands, env)).toEqual({ smtp: 'smtp://h' });
    expect(await given(['tell'], commands, env)).toEqual({});
    expect(await given(['key', 'create'], commands, env)).toEqual({ scope: ['a', 'b'] });
  });
});

it('the settings of all commands are the options of a service', async () => {
  const settings = (await leaves()).flatMap(([, options]) =>
    Object.entries(options).flatMap(([name, { isSetting }]) => (isSetting === true ? [name] : [])),
  );
  expect(Object.keys(serveCommand.options).length).toBeGreaterThan(40);
  expect([...new Set(settings)].sort()).toEqual(Object.keys(serveCommand.options).sort());
});

/** Each command that has options, by its words. */
async function leaves(): Promise<readonly (readonly [words: readonly string[], options: AnyOptions])[]> {
  return Object.entries(await loadCommands()).flatMap(([name, one]): [readonly string[], AnyOptions][] =>
    'commands' in one
      ? Object.entries(one.commands).map(([sub, leaf]) => [[name, sub], optionsOf(leaf)])
      : [[[name], optionsOf(one)]],
  );
}

/** Two options that mean the same: how long an answer to an agent may be. */
const SAME = new Map([['mcp budgetTokens', 'mcpBudgetTokens']]);

it('no variable means two things, and every option has one', async () => {
  const meanings = new Map<string, string>();
  for (const [words, options] of await leaves()) {
    for (const [name, { isSetting = false }] of Object.entries(options)) {
      const variable = variableOf(name, isSetting ? [] : words);
      const meaning = isSetting ? name : `${words.join(' ')} ${name}`;
      expect([variable, meanings.get(variable) ?? meaning]).toEqual([variable, SAME.get(meaning) ?? meaning]);
      meanings.set(variable, meaning);
    }
  }
  expect([...meanings.keys()]).toEqual(
    expect.arrayContaining([
      'GAZETTE_STORE',
      'GAZETTE_BASE_URL',
      'GAZETTE_TITLE',
      'GAZETTE_REGISTER_ADD_TITLE',
      'GAZETTE_IMPORT_DELIMITER',
      'GAZETTE_SNAPSHOT_BASE_URL',
    ]),
  );
});

it('a setting counts for every command that has it, and the title of a service for no register', async () => {
  const { path } = await makeStore(2);
  const file = await configured({ store: path, title: 'Service' });
  const list = await gazette(['register', 'list', '--config', file]);
  expect(list.stdout.toString()).toContain('permits');
  const env = { GAZETTE_TITLE: 'Service', GAZETTE_STORE: path };
  expect((await gazette(['register', 'update', 'permits', '--access', 'open'], '', env)).code).toBe(0);
  const shown = await gazette(['register', 'show', 'permits', '--json'], '', env);
  expect(shown.stdout.toString()).not.toContain('"title":"Service"');
});

it('paths are relative to the folder of gazette.json', async () => {
  const { path } = await makeStore(1);
  const file = join(path, '../sub/gazette.json');
  await mkdir(join(path, '../sub'));
  await writeFile(file, JSON.stringify({ store: 'sqlite:../gazette.db', format_module: ['tsv.ts'] }));
  expect((await gazette(['register', 'list', '--config', file])).code).toBe(0);
  expect(await served(['--config', file], {})).toMatchObject({ formatModule: [join(path, '../sub/tsv.ts')] });
});

it('an import without a file takes that of its register', async () => {
  const file = await configured({
    registers: [
      { definition: { id: 'r', title: 'R' }, import: { file: 'a.ndjson' } },
      { definition: { id: 'other', title: 'Other' } },
    ],
  });
  const [place, env] = [dirname(file), { GAZETTE_CONFIG: file }];
  await writeFile(join(place, 'a.ndjson'), '{"id":"1","title":"A","source_url":"https://example.org/"}\n');
  const store = ['--store', join(place, 'a.db')];
  await gazette(['register', 'add', 'r', '--title', 'R', ...store]);
  expect((await gazette(['import', 'r', ...store], '', env)).stdout.toString()).toContain('r: added 1,');
  expect((await gazette(['import', 'r', '--guess', ...store], '', env)).stdout.toString()).toContain('title');
  for (const [args, variables, message] of [
    [['import', 'other'], env, `name the file: gazette import other FILE; ${file} names none for this register`],
    [['import', 'other'], {}, 'name the file: gazette import other FILE; there is no gazette.json that names one'],
  ] as const) {
    const { code, stderr } = await gazette([...args, ...store], '', variables);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});

describe('what is refused', () => {
  it.each([
    ['a member that there is not', { prot: 80 }, 'no member is called "prot"; did you mean "port"?'],
    [
      'one of a register',
      { registers: [{ definition: { id: 'r', title: 'R' }, imports: {} }] },
      'registers[0]: no member is called "imports"; did you mean "import"?',
    ],
    [
      'one of an import',
      { registers: [{ definition: { id: 'r', title: 'R' }, import: { file: 'a', delimeter: ';' } }] },
      'registers[0].import: no member is called "delimeter"; did you mean "delimiter"?',
    ],
    [
      'a member of a definition',
      { registers: [{ definition: { id: 'r', title: 'R', titel: 'x' } }] },
      'registers[0].definition: ',
    ],
    [
      'a register twice',
      { registers: [{ definition: { id: 'r', title: 'R' } }, { definition: { id: 'r', title: 'S' } }] },
      'registers[1].definition: "r" is there twice',
    ],
    ['another kind of value', { trust_proxy: 'yes' }, 'trust_proxy: '],
    ['a member twice', '{"port": 1, "port": 2}', 'the file '],
    ['what is not JSON', '{"port": 1,}', 'not valid JSON'],
    [
      'a value that its option refuses',
      { limit_key: 'much' },
      '(limit_key): "much" is invalid for --limit-key. It must be requests/seconds',
    ],
    ['a value that is refused later', { keys_url: 'keys' }, '--keys-url is from '],
  ])('%s, with its place', async (_, content, message) => {
    const file = await configured(content);
    const { path } = await makeStore(0);
    const { code, stderr } = await gazette(['serve', '--store', path, '--port', '0', '--config', file]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).toContain(file);
  });

  it.each([
    [
      { GAZETTE_PORT: '99999' },
      'GAZETTE_PORT: "99999" is invalid for --port. It must be a whole number from 0 to 65535.',
    ],
    [{ PORT: 'http' }, 'PORT: "http" is invalid for --port.'],
    [
      { GAZETTE_TRUST_PROXY: 'maybe' },
      'GAZETTE_TRUST_PROXY: "maybe" is invalid for --trust-proxy. It must be true or false.',
    ],
    [{ GAZETTE_DNS_SERVERS: 'x y' }, 'GAZETTE_DNS_SERVERS: --dns-servers: '],
    [
      { GAZETTE_KEYS_URL: 'keys' },
      'keysUrl must be an absolute http(s) URL, got "keys"; --keys-url is from GAZETTE_KEYS_URL',
    ],
    [{ GAZETTE_CONFIG: 'none.json' }, 'none.json cannot be read'],
  ])('%j', async (env, message) => {
    const { path } = await makeStore(0);
    const { code, stderr } = await gazette(
      ['serve', '--store', path, ...('PORT' in env || 'GAZETTE_PORT' in env ? [] : ['--port', '0'])],
      '',
      env,
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('shows no password', async () => {
    for (const url of ['postgres://u:hunter2@127.0.0.1:1/x', 'mysql://u:hunter2@h/x']) {
      const { code, stderr } = await gazette(['register', 'list'], '', { GAZETTE_STORE: url });
      expect(code).not.toBe(0);
      expect(stderr).not.toContain('hunter2');
    }
    const refuse = (): never => {
      throw new InvalidArgumentError('No.');
    };
    const smtp = setting({ ...text('<url>', 'the mail server'), read: refuse });
    const serve = command({ description: '', arguments: [], options: { smtp }, run: () => undefined });
    const said = await given(['serve'], { serve }, { GAZETTE_SMTP: 'smtp://u:hunter2@h' }).then(String, String);
    expect(said).toContain('GAZETTE_SMTP: "smtp://…@h" is invalid for --smtp. No.');
  });
});
