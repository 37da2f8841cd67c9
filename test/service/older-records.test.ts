// What the public is answered does not depend on the records that it does not see: two services that differ in those alone answer
// alike, byte for byte, whatever is asked.
import { expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { at, say } from '../contracts/store-register.ts';
import { callTool } from '../mcp/agent.ts';
import { BASE_URL, type World, world } from '../world.ts';

const SITES = defineRegister({
  id: 'sites',
  title: 'Sites',
  created_at: at(0),
  uuid: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  fields: [
    { name: 'country', type: 'text', filterable: true },
    { name: 'area', type: 'number', filterable: true },
    { name: 'codes', type: 'json', filterable: true },
  ],
});

/** What an older record says in one service, and in the other. */
const OLDER = [
  { title: 'Log4j everywhere', document_type: 'KEV', data: { country: 'NL', area: 1, codes: ['CWE-22'] } },
  { title: 'Nothing of note', document_type: 'draft', data: { country: 'BE', area: 2, codes: [] } },
] as const;

async function serviceOf(older: object): Promise<World> {
  const service = await world({ records: 0 });
  await service.store.createRegister(SITES);
  const hidden = Array.from({ length: 30 }, (_, index) => say(`old${index}`, older, 'sites'));
  const seen = ['Water mill', 'Gas works', 'Log book'].map((title, index) => {
    return say(
      `new${index}`,
      { title, document_type: 'permit', data: { country: 'de', area: 5, codes: ['a'] } },
      'sites',
    );
  });
  await service.store.apply('sites', [...hidden, ...seen], { recordedAt: at(1) });
  return service;
}

const QUESTIONS = [
  ...['q=log4j', 'q=log*', 'q=logshell', 'q=watermill', 'q=gas', 'q=-gas', 'q="water+mill"', 'q=wate', 'q=log4shell'],
  ...['document_type=KEV', 'document_type=kev', 'document_type=permit', 'document_type=Permit', 'key=old1', 'key=new1'],
  ...['data.country=NL', 'data.country=DE', 'data.country=fr', 'data.codes=cwe-22', 'data.codes=A', 'data.area_min=2'],
  ...['published_since=2020-01-01', 'q=gas&data.country=DE', 'q=nothing&data.country=NL', 'data.area_max=9'],
];

it.each(QUESTIONS)('%s: the list, the facets, the page and the agents’ answers are alike', async (question) => {
  const services = await Promise.all(OLDER.map(serviceOf));
  const answers = services.map(async (service) => {
    const texts: string[] = [];
    const list = `/feeds/sites/records?${question}`;
    for (const path of [list, `${list}&offset=1`, `/feeds/sites/facets?${question}`]) {
      const answer = await service.get(path);
      texts.push(`${answer.status} ${answer.headers.get('gazette-matched')} ${await answer.text()}`);
    }
    for (const path of ['/feeds/sites', '/feeds/sites/values']) {
      const field = path.endsWith('values') ? '&field=data.country' : '';
      const page = await service.get(`${BASE_URL}${path}?${question}${field}`, { headers: { accept: 'text/html' } });
      texts.push(`${page.status} ${await page.text()}`);
    }
    const asked = new URLSearchParams(question);
    const args = Object.fromEntries([...asked].filter(([name]) => !name.startsWith('data.')));
    texts.push(JSON.stringify(await callTool(service, 'read_register', { feed_id: 'sites', ...args })));
    if (asked.has('q')) texts.push(JSON.stringify(await callTool(service, 'search', { query: asked.get('q') })));
    return texts;
  });
  const [one, other] = await Promise.all(answers);
  expect(one).toEqual(other);
  expect(one![0]).toMatch(/^(?:200|400) /);
});
