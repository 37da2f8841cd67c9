// Plugins at the command line: their commands, and where modules are named that hold them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rpc } from '../mcp/agent.ts';
import { folder, gazette, gazetteProcess } from './run.ts';
import { makeStore } from './served.ts';

/** A module that needs nothing of gazette, so that it can lie anywhere. */
const module = (command: string): string => `
export const plugin = {
  name: 'counting',
  tools: [{
    name: 'count', title: 'Count', description: 'Counts.', inputSchema: { type: 'object' },
    run: async (args, call) => ({ total: (await call.register('permits')).source.definition.id }),
  }],
  commands: {
    '${command}': {
      description: 'Count the records of a register.',
      arguments: [['<feed_id>', 'the register'], ['[more]', 'not used']],
      options: { perPage: { value: '<number>', description: 'how many at a time' }, loud: { value: null, description: 'with !' } },
      async run({ args, options, stdout, register }) {
        const { source, tier } = await register(args[0]);
        const { records } = await source.page({ offset: 0, limit: Number(options.perPage ?? 100) });
        stdout.write(\`\${tier} \${records.length}\${options.loud === true ? '!' : ''} \${args[1]}\\n\`);
      },
    },
  },
};`;

/** A folder with a store and a plugin. */
async function made(
  command = 'count',
): Promise<{ readonly place: string; readonly store: string; readonly file: string }> {
  const place = await folder();
  const { path: store } = await makeStore(12);
  const file = join(place, 'lib', 'plugin.mjs');
  await mkdir(join(place, 'lib'));
  await writeFile(file, module(command));
  return { place, store, file };
}

it('are commands among gazette’s own, which read all of a store', async () => {
  const { store, file } = await made();
  const env = { GAZETTE_PLUGIN: file };
  const args = ['count', 'permits', '--store', store];
  expect(await gazette(args, '', env)).toMatchObject({ code: 0, stdout: Buffer.from('pro 12 undefined\n') });
  const more = await gazette([...args, 'more', '--per-page', '5', '--loud'], '', env);
  expect(more.stdout.toString()).toBe('pro 5! more\n');
  expect((await gazette(['--help'], '', env)).stdout.toString()).toContain('Count the records of a register.');
  for (const asking of [
    ['count', '--help'],
    ['help', 'count'],
  ]) {
    const help = (await gazette(asking, '', env)).stdout.toString();
    expect(help).toContain('--per-page <number>');
  }
  expect(await gazette(['count', 'none', '--store', store], '', env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('(unknown_feed)') as string,
  });
  expect((await gazette(['count', '--store', store], '', env)).code).toBe(2);
});

it('are named in gazette.json, beside it or elsewhere', async () => {
  const { place, store } = await made();
  const config = join(place, 'gazette.json');
  await writeFile(config, JSON.stringify({ store, plugin: ['lib/plugin.mjs'] }));
  for (const named of [['--config', config], [`--config=${config}`]]) {
    expect((await gazette(['count', 'permits', ...named])).stdout.toString()).toBe('pro 12 undefined\n');
  }
  const said = await gazette(['count', 'permits'], '', { GAZETTE_CONFIG: config });
  expect(said.stdout.toString()).toBe('pro 12 undefined\n');
});

it('are refused by name: a module that is none, and a command that there is', async () => {
  const { place, store, file } = await made('serve');
  const refusal = async (plugin: string): Promise<string> => {
    const { code, stderr } = await gazette(['count', 'permits', '--store', store], '', { GAZETTE_PLUGIN: plugin });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refusal(file)).toContain('there is a command serve already (invalid_option)');
  expect(await refusal(join(place, 'none.mjs'))).toMatch(/none\.mjs cannot be loaded: .*\(invalid_option\)/);
  const empty = join(place, 'empty.mjs');
  await writeFile(empty, 'export const other = 1;');
  expect(await refusal(empty)).toContain('must export its plugin as "plugin", it exports other');
});

it('keep nobody from the help, nor from the command that was meant, where they are broken', async () => {
  const { place } = await made();
  const env = { GAZETTE_PLUGIN: join(place, 'none.mjs') };
  const help = await gazette(['--help'], '', env);
  expect([help.code, help.stderr]).toEqual([0, expect.stringContaining('cannot be loaded') as string]);
  expect(help.stdout.toString()).toContain('Usage: gazette');
  const typo = await gazette(['sevre'], '', env);
  expect([typo.code, typo.stderr]).toEqual([
    2,
    expect.stringMatching(/cannot be loaded.*\n.*Did you mean serve/s) as string,
  ]);
});

it('find gazette, wherever they lie', async () => {
  const { place, store } = await made();
  const file = join(place, 'needing.mjs');
  await writeFile(
    file,
    `import { GazetteError } from 'gazette/errors';
    const run = () => { throw new GazetteError('usage', 'it was found'); };
    export const plugin = { name: 'needing', commands: { needs: { description: 'Needs.', run } } };`,
  );
  // In a process of its own: this one resolves names in its own way.
  const { stderr } = await gazetteProcess(['needs', '--store', store], '', { GAZETTE_PLUGIN: file });
  expect(stderr).toContain('it was found');
});

it('give agents on this machine their tools', async () => {
  const { store, file } = await made();
  const input = [
    rpc('initialize', { protocolVersion: '2025-11-25' }, 1),
    rpc('tools/call', { name: 'count', arguments: {} }, 2),
  ];
  const { stdout } = await gazette(
    ['mcp', '--store', store, '--plugin', file],
    input.map((message) => `${JSON.stringify(message)}\n`).join(''),
  );
  expect(stdout.toString()).toContain('"structuredContent":{"total":"permits"}');
});
