// What newcomers add takes few files, fits the types, and is then on every surface without another change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCommand, addFormat, addRoute, addSetting } from './additions.ts';
import { ChangedTree } from './copy.ts';
import { COMMAND_LINE, END, SERVICE } from './programs.ts';

let tree: ChangedTree;
/** The files that each addition took. */
const taken: Record<string, readonly string[]> = {};

beforeAll(() => {
  tree = new ChangedTree();
  for (const [name, add] of Object.entries({ addCommand, addSetting, addRoute, addFormat })) {
    const before = new Set(tree.changed);
    add(tree);
    taken[name] = tree.changed.filter((path) => !before.has(path));
  }
});
afterAll(() => {
  tree.remove();
});

it('all of it fits the types', () => {
  tree.checkTypes();
});

describe('a command', () => {
  it('takes two files', () => {
    expect(taken.addCommand).toEqual(['src/cli/commands/tally.ts', 'src/cli/main.ts']);
  });

  it('is in the help and in the reference, runs, and takes values from the environment and gazette.json', () => {
    const { help, own, page, lines, sum, configured, refused } = tree.ask(`${SERVICE}${COMMAND_LINE}
import { writeFileSync } from 'node:fs';
import { loadCommands } from './src/cli/main.ts';
import { commandsPage } from './test/package/commands-page.ts';
const file = path.replace('store.db', 'gazette.json');
writeFileSync(file, JSON.stringify({ store: 'sqlite:store.db' }));
const answer = {
  help: await command(['--help']),
  own: await command(['tally', '--help']),
  page: commandsPage(await loadCommands()),
  lines: await command(['tally', '--store', path]),
  sum: await command(['tally'], { GAZETTE_STORE: path, GAZETTE_TALLY_AS: 'sum' }),
  configured: await command(['tally', 'permits', '--config', file]),
  refused: await command(['tally', '--store', path], { GAZETTE_TALLY_AS: 'pie' }),
};
${END}`) as Record<string, { readonly code: number; readonly said: string }> & { readonly page: string };
    expect(help!.said).toMatch(/^ {2}tally \[options\] \[feed_id\] +Count the records of each register\.$/m);
    expect(own!.said).toMatch(/--as <kind>[^]*\(choices:[^]*"lines", "sum"[^]*--config <file>/);
    expect(page).toContain('## gazette tally\n\nCount the records of each register.\n');
    expect(page).toContain('| `--as <kind>` | `GAZETTE_TALLY_AS` |');
    expect([lines, sum, configured]).toEqual([
      { code: 0, said: 'permits 3\n' },
      { code: 0, said: '3\n' },
      { code: 0, said: 'permits 3\n' },
    ]);
    expect(refused!.said).toBe(
      'gazette: GAZETTE_TALLY_AS: "pie" is invalid for --as. Allowed choices are lines, sum. (usage)\n',
    );
  });
});

describe('a setting', () => {
  it('takes one file', () => {
    expect(taken.addSetting).toEqual(['src/cli/options/serving.ts']);
  });

  it('is an option, a variable, a member of gazette.json with its schema, and in the reference', () => {
    const { whole, basics, schema, page, mistyped } = tree.ask(`${SERVICE}${COMMAND_LINE}
import { answerSchemas } from './src/cli/schemas/answers.ts';
import { loadCommands } from './src/cli/main.ts';
import { commandsPage } from './test/package/commands-page.ts';
const answer = {
  whole: (await command(['serve', '--help', 'all'])).said,
  basics: (await command(['serve', '--help'])).said,
  schema: answerSchemas().get('gazette.schema.json').properties.motto,
  page: commandsPage(await loadCommands()),
  mistyped: (await command(['doctor', '--store', path], { GAZETTE_MOTO: 'x' })).said,
};
${END}`) as Record<string, unknown>;
    expect(whole).toMatch(/^ {2}--motto <text> +what the service stands for$/m);
    expect(basics).not.toContain('--motto');
    expect(schema).toMatchObject({ description: 'what the service stands for' });
    expect(page).toContain('| `--motto <text>` | `GAZETTE_MOTTO` | `motto` | what the service stands for |');
    expect(mistyped).toContain('GAZETTE_MOTO sets no option; did you mean GAZETTE_MOTTO?');
  });
});

describe('a route', () => {
  it('takes two files', () => {
    expect(taken.addRoute).toEqual(['src/http/routes/size.ts', 'src/service/create-gazette.ts']);
  });

  it('answers, and is in openapi.json with its schema', () => {
    const { size, unknown, operation, schema } = tree.ask(`${SERVICE}
const { paths, components } = await json('/api/v1/openapi.json');
const answer = {
  size: await json('/api/v1/feeds/permits/size'),
  unknown: (await get('/api/v1/feeds/permits/sizes')).status,
  operation: paths['/feeds/{feed_id}/size']?.get,
  schema: components.schemas.Size,
};
${END}`) as Record<string, unknown>;
    expect(size).toEqual({ records: 3 });
    expect(unknown).toBe(404);
    expect(operation).toMatchObject({
      operationId: 'getSize',
      parameters: [{ $ref: '#/components/parameters/feed_id' }],
    });
    expect(schema).toMatchObject({ properties: { records: { type: 'integer', description: 'Live records.' } } });
  });
});

describe('an export format', () => {
  it('takes two files', () => {
    expect(taken.addFormat).toEqual(['src/formats/index.ts', 'src/formats/psv.ts']);
  });

  it('is served, described, linked from pages, in snapshots and at the command line', () => {
    const { served, type, links, described, page, exported, help, snapshot, published } =
      tree.ask(`${SERVICE}${COMMAND_LINE}
import { readFileSync } from 'node:fs';
const exports = await get('/api/v1/feeds/permits/records/export.psv');
const { paths, components } = await json('/api/v1/openapi.json');
const route = paths['/feeds/{feed_id}/records/export.{format}'].get;
const parameters = route.parameters.map((one) => components.parameters[one.$ref?.split('/').at(-1)] ?? one);
const out = path.replace('store.db', 'out');
const answer = {
  served: (await exports.text()).split('\\n').slice(0, 2),
  type: exports.headers.get('content-type'),
  links: (await json('/api/v1/feeds/permits')).links.exports,
  described: [parameters.find(({ name }) => name === 'format').schema.enum, Object.keys(route.responses[200].content)],
  page: await text('/feeds/permits'),
  exported: await command(['export', 'permits', '--format', 'psv', '--store', path]),
  help: (await command(['export', '--help'])).said,
  snapshot: await command(['snapshot', '--out', out, '--base-url', 'https://x.example', '--store', path]),
};
answer.published = [readFileSync(out + '/permits/index.psv', 'utf8'), readFileSync(out + '/permits/index.html', 'utf8')];
${END}`) as Record<string, unknown>;
    expect(served).toEqual(['id|title', expect.stringMatching(/^permits:[a-c]\|/)]);
    expect(type).toBe('text/x-psv; charset=utf-8');
    expect(links).toMatchObject({ psv: expect.stringMatching(/export\.psv$/) as string });
    expect(described).toEqual([expect.arrayContaining(['psv']), expect.arrayContaining(['text/x-psv'])]);
    expect(page).toContain('>PSV</a>');
    expect(exported).toMatchObject({ code: 0, said: expect.stringMatching(/^id\|title\npermits:c\|/) as string });
    expect(help).toContain('psv');
    expect(snapshot).toMatchObject({ code: 0 });
    expect(published).toEqual([
      expect.stringMatching(/^id\|title\n/),
      expect.stringContaining('permits/index.psv">PSV</a>'),
    ]);
  });
});
