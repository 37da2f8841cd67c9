// A core field, and an exact filter over a field that has its label, take few files, fit the types, and are then on every
// surface without another change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCoreField, addExactFilter } from './additions.ts';
import { ChangedTree } from './copy.ts';
import { COMMAND_LINE, END, SERVICE } from './programs.ts';

/** The same service, with a record that has the field and another author. */
const NORTH = `${SERVICE}${COMMAND_LINE}
await store.apply('permits', [say('d', { region: 'North', author: 'Harbour Office' })], { recordedAt: '2026-10-02T10:00:00Z' });
const agent = async (method, params) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return (await gazette.fetch(new Request('https://registers.example.org/api/v1/mcp', { method: 'POST', headers, body }))).text();
};
`;

let tree: ChangedTree;
let ofFilter: readonly string[];
let ofField: readonly string[];

beforeAll(() => {
  tree = new ChangedTree();
  addExactFilter(tree);
  ofFilter = tree.changed;
  addCoreField(tree);
  ofField = tree.changed.filter((path) => !ofFilter.includes(path));
});
afterAll(() => {
  tree.remove();
});

it('both fit the types', () => {
  tree.checkTypes('tsconfig.build.json');
});

describe('a core field', () => {
  it('takes six files', () => {
    expect(ofField).toEqual([
      'src/register/fields.ts',
      'src/register/record.ts',
      'src/stores/postgres/migrations.ts',
      'src/stores/sqlite/migrations.ts',
      'src/templates/languages/de.ts',
      'src/templates/languages/en.ts',
    ]);
  });

  it('is in every format, in what describes them, on pages, for agents, in imports and in what the doctor checks', () => {
    const {
      tables,
      xml,
      rss,
      atom,
      ndjson,
      shown,
      xsd,
      described,
      tools,
      table,
      read,
      page,
      imported,
      found,
      changed,
      doctor,
    } = tree.ask(`${NORTH}
import { writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { readWorkbook } from './test/contracts/xlsx-reader.ts';
import { answerSchemas } from './src/cli/schemas/answers.ts';
const exported = (format) => get('/api/v1/feeds/permits/records/export.' + format);
const [header, row] = parse(await (await exported('csv')).text());
const { rows } = readWorkbook(Buffer.from(await (await exported('xlsx')).arrayBuffer())).sheets[0];
const [column] = [...rows[0]].find(([, { value }]) => value === 'region');
const openapi = await json('/api/v1/openapi.json');
const file = path.replace('store.db', 'more.csv');
writeFileSync(file, 'No,Name,Link,Where\\ne,Permit e,https://example.org/permits/e,South\\n');
const rules = ['id=No', 'title=Name', 'source_url=Link', 'region=Where'].flatMap((rule) => ['--map', rule]);
const answer = {
  tables: [header.length, row.length, row[header.indexOf('region')], rows[1].get(column).value],
  xml: await (await exported('xml')).text(),
  rss: await (await exported('rss')).text(),
  atom: await (await exported('atom')).text(),
  ndjson: (await command(['export', 'permits', '--format', 'ndjson', '--store', path])).said.split('\\n')[0],
  shown: [await json('/api/v1/records/permits:d'), (await json('/api/v1/feeds/permits/records?fields=region&key=d')).records[0]],
  xsd: await text('/api/v1/feeds/permits/register.xsd'),
  described: [openapi.components.schemas.RegisterRecord, answerSchemas().get('record.schema.json')],
  tools: JSON.parse(await agent('tools/list', {})).result.tools.find(({ name }) => name === 'read_register'),
  table: JSON.parse(await agent('tools/call', { name: 'read_register', arguments: { feed_id: 'permits', key: 'd', fields: ['region'] } })).result.structuredContent,
  read: await agent('tools/call', { name: 'read_record', arguments: { record_id: 'permits:d' } }),
  page: await text('/records/permits:d'),
  imported: await command(['import', 'permits', file, '--store', path, ...rules]),
  found: await json('/api/v1/records/permits:e'),
};
await store.apply('permits', [say('d', { region: 'South' })], { recordedAt: '2026-12-03T10:00:00Z' });
answer.changed = await text('/records/permits:d');
answer.doctor = await command(['doctor', '--store', path]);
${END}`) as Record<string, unknown>;
    expect(tables).toEqual([20, 20, 'North', 'North']);
    expect(xml).toContain('<region>North</region>');
    for (const feed of [rss, atom]) expect(feed).toContain('<tr><th scope="row">Region</th><td>North</td></tr>');
    expect(JSON.parse(ndjson as string)).toMatchObject({ region: 'North' });
    expect(shown).toEqual([expect.objectContaining({ region: 'North' }), { id: 'permits:d', region: 'North' }]);
    expect(xsd).toMatch(/<xs:element name="region" type="xs:string"[^]*Region: The region concerned\./);
    expect(JSON.stringify(described)).toMatch(/"region":\{[^}]*"description":"The region concerned\."[^]*"region":\{/);
    expect(tools).toMatchObject({
      outputSchema: { properties: { records: { items: { properties: { region: { type: ['string', 'null'] } } } } } },
    });
    expect(table).toMatchObject({
      columns: ['id', 'region'],
      rows: [['permits:d', 'North']],
    });
    expect(read).toContain('North');
    expect(page).toMatch(/<dt>Region<\/dt><dd>.*North/);
    expect(imported).toMatchObject({ code: 0 });
    expect(found).toMatchObject({ region: 'South' });
    expect(changed).toMatch(/<th scope="row">Region<\/th>.*<del>North<\/del>.*<ins>South<\/ins>/);
    expect(doctor).toMatchObject({ code: 0, said: expect.stringContaining('is whole') as string });
  });
});

describe('an exact filter', () => {
  it('takes one file', () => {
    expect(ofFilter).toEqual(['src/register/finding/filters.ts']);
  });

  it('is asked for over HTTP, by agents, at the command line and on pages, described, counted, and checked by the doctor', () => {
    const { listed, both, feed, parameters, tools, told, facets, page, exported, counts, doctor } = tree.ask(`${NORTH}
const keys = ({ records }) => records.map(({ key }) => key);
const { paths, components } = await json('/api/v1/openapi.json');
const answer = {
  listed: keys(await json('/api/v1/feeds/permits/records?author=Harbour%20Office')),
  both: keys(await json('/api/v1/feeds/permits/records?author=Environment%20Agency&document_type=adopted')),
  feed: await text('/api/v1/feeds/permits/records/export.atom?author=Harbour%20Office'),
  parameters: paths['/feeds/{feed_id}/records'].get.parameters.map(({ $ref }) => components.parameters[$ref.split('/').at(-1)]),
  tools: await agent('tools/list', {}),
  told: await agent('tools/call', { name: 'read_register', arguments: { feed_id: 'permits', author: ['Harbour Office'] } }),
  facets: (await json('/api/v1/feeds/permits/facets?field=author')).facets,
  page: await text('/feeds/permits?author=Harbour%20Office'),
  exported: await command(['export', 'permits', '--format', 'csv', '--filter', 'author=Harbour Office', '--store', path]),
  counts: await store.values.list('permits', 'author', { limit: 9 }),
  doctor: await command(['doctor', '--store', path]),
};
${END}`) as Record<string, unknown>;
    expect([listed, both]).toEqual([['d'], ['c', 'b', 'a']]);
    expect(feed).toContain('Author: Harbour Office.');
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'author', description: 'Only records of exactly these authors.' }),
    );
    expect(tools).toContain('Only records of exactly these authors.');
    expect(told).toContain('permits:d');
    expect(told).not.toContain('permits:c');
    const values = [
      { value: 'Environment Agency', records: 3 },
      { value: 'Harbour Office', records: 1 },
    ];
    expect(facets).toMatchObject([{ field: 'author', values }]);
    expect(counts).toEqual(values);
    expect(page).toMatch(/<summary>Author<\/summary>/);
    expect(exported).toMatchObject({ code: 0, said: expect.stringContaining('permits:d') as string });
    expect(doctor).toMatchObject({ code: 0, said: expect.stringContaining('is whole') as string });
  });
});
