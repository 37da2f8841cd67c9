// A service without prices beside the same one with them: what the prices add is listed here, and nothing of it is there
// without them, on any route, tool, column, header or page.
import { expect, it } from 'vitest';
import { BASE_URL, type World, world } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import { post, rpc } from '../../mcp/agent.ts';
import type { Browser } from '../../pages/account/browser.ts';
import { signedIn } from './shop.ts';

const OLD = 'permits:001';

/** What somebody may ask, signed in or not. */
const PAGES = ['/', '/feeds/permits', `/records/${OLD}`, '/guide', '/account', '/account/keys', '/account/ledger'];
const FILES = [
  '/account/ledger.csv',
  '/account/credit/acme',
  '/robots.txt',
  '/sitemap.xml',
  '/catalog.jsonld',
  '/opml',
];
const ROUTES = ['', '/feeds', '/feeds/permits', '/feeds/permits/records', `/records/${OLD}`, `/records/${OLD}/full`];
const EXPORTS = ['csv', 'xml', 'rss', 'atom'].map((name) => `/feeds/permits/records/export.${name}`);

const [plain, selling] = [await open(), await open()];
const { definition } = (await selling.store.register('permits'))!;
const prices = { currency: 'EUR', per_record: 200 };
await selling.store.updateRegister({ ...definition, prices }, { recordedAt: at(0) });

/** A service with an account that reads everything and one that has no access. */
async function open(): Promise<World> {
  const service = await world({ records: 12 });
  await service.store.accounts.createAccount({ id: 'guest', accessUntil: null, createdAt: at(0) });
  return service;
}

type Node = Readonly<Record<string, unknown>>;

/** The names of the members of a JSON value, by their paths; items of lists share one path. */
function pathsIn(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) =>
    pathsIn(member, Array.isArray(value) ? `${path}[]` : `${path}.${name}`),
  );
}

/** Everything that the service shows, a line each. */
async function shownBy(service: World): Promise<ReadonlySet<string>> {
  const lines: string[] = [];
  const document = (await (await service.get('/openapi.json')).json()) as {
    paths: Node;
    components: { schemas: Node };
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods as Node)) lines.push(`route ${method} ${path}`);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const member of Object.keys((schema as Node).properties ?? {})) lines.push(`schema ${name} ${member}`);
  }
  const { tools } = (await post(service, rpc('tools/list'))).body!.result as {
    tools: readonly { name: string; inputSchema: Node }[];
  };
  for (const { name, inputSchema } of tools) {
    for (const given of Object.keys(inputSchema.properties as Node)) lines.push(`tool ${name} ${given}`);
  }
  for (const key of [undefined, service.key]) {
    for (const path of [...ROUTES, ...EXPORTS]) {
      const response = await service.get(path, key === undefined ? {} : { key });
      const asked = `${path} ${key === undefined ? 'public' : 'pro'}`;
      lines.push(`status ${asked} ${response.status}`);
      for (const [name] of response.headers) lines.push(`header ${asked} ${name}`);
      const text = await response.text();
      if (path.endsWith('.csv') && response.ok) lines.push(`columns ${asked} ${text.split('\r\n', 1)[0]}`);
      else if (!path.includes('export.')) lines.push(...pathsIn(JSON.parse(text), `member ${asked} `));
    }
  }
  for (const account of ['acme', 'guest']) {
    const own: Browser = await signedIn(service, account);
    for (const path of [...PAGES, ...FILES]) {
      const page = await own.open(BASE_URL + path);
      lines.push(`page ${account} ${path} ${page.status}`);
      for (const { id, fields } of page.forms) lines.push(`form ${path} ${id} ${[...fields.keys()].join()}`);
      for (const link of page.links) lines.push(`link ${path} ${link.replace(/key_\w+/, 'key')}`);
    }
  }
  return new Set(lines.filter((line) => !/request-id|ratelimit/.test(line)));
}

/** What prices add, and nothing else does. */
const ADDED: readonly RegExp[] = [
  /^route (?:get|post) \/records\/\{record_id\}\/(?:full|purchase)$/,
  /^route get \/account\/ledger(?:\.csv)?$/,
  /^schema (?:Account balance|Feed offers|Purchase(?:Request)? \w+|LedgerEntry \w+|Budget \w+)$/,
  /^schema (?:Key|IssuedKey|RotatedKey|KeyChange|NewKey) (?:budget|per_day|max_price)$/,
  /^schema (?:RecordPreview|Problem) (?:price|buy_url)$/,
  /^schema ListedRecord (?:price|buy_url|preview|note)$/,
  /^tool (?:read_record|fetch) (?:purchase_id|expected_price)$/,
  /^(?:status|header|member) \/records\/permits:001\/full /,
  /^member \/\S* \w+ \S*\.(?:offers|price|prices|buy_url)\b/,
  /^page \w+ \/account\/ledger(?:\.csv)? 200$/,
  /^(?:link|form) \/account\/ledger /,
];

it('lacks exactly what prices add', async () => {
  const [without, within] = [await shownBy(plain), await shownBy(selling)];
  const more = [...within].filter((line) => !without.has(line));
  const less = [...without].filter((line) => !within.has(line));
  expect(more.filter((line) => !ADDED.some((known) => known.test(line)))).toEqual([]);
  for (const known of ADDED) expect([known, more.some((line) => known.test(line))]).toEqual([known, true]);
  const isThere = (line: string): boolean =>
    ADDED.some((known) => known.test(line)) && !/\/full |^(?:link|form)/.test(line);
  expect([...without].filter(isThere)).toEqual([]);
  // What is gone with prices are the answers that there is no such thing.
  expect(less.filter((line) => !/ledger(?:\.csv)? 404|\/full|^\w+ \/account\/ledger/.test(line))).toEqual([]);
});

it('says nothing of buying on any page', async () => {
  for (const account of ['acme', 'guest']) {
    const own = await signedIn(plain, account);
    for (const language of ['', '?lang=de']) {
      for (const path of PAGES.filter((page) => page !== '/account/ledger')) {
        const { html } = await own.open(BASE_URL + path + language);
        const said = /\b(?:price|preis|buy|kauf|credit|guthaben|budget|ledger|402\b|EUR)/i.exec(html)?.[0];
        expect([account, path, said]).toEqual([account, path, undefined]);
      }
    }
  }
});
