// The contract of every plugin: what it adds over HTTP answers, tells the public nothing of records that the public does not see, and refuses
// what there is not.
import assert from 'node:assert/strict';
import type { JsonValue } from '../register/canonical-json.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import { at, permits, say } from './stores/said.ts';
import type { Test } from './test.ts';

/** A service with the plugin, over an empty store. */
export interface OpenedPlugin {
  /** The store, which the suite fills. */
  readonly store: RegisterStore;
  /** The service. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The service's figures, as `metrics.registry` gives them. */
  readonly figures: () => Promise<string>;
  /** A key of PRO. With it the suite asks first, so that it finds a plugin that keeps what a key saw. Default: none. */
  readonly key?: string;
  /** Called when the test is done. */
  readonly dispose: () => Promise<void>;
}

/** What a plugin is asked with. `feed_id` and `record_id`, in paths and of tools, are those of the suite. */
export interface PluginFacts {
  /** The other parameters of its paths. */
  readonly params?: Readonly<Record<string, string>>;
  /** The query of its routes and pages, by their paths, such as `year=2026`. */
  readonly query?: Readonly<Record<string, string>>;
  /** The arguments of its tools, by their names. */
  readonly args?: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>;
}

const SITE = 'https://registers.example.org';

/** How many records the register of the suite has; the public sees the latest three whole. */
const RECORDS = 12;

/** What only who has a key may read stands behind it. */
const HIDDEN = 'hidden-behind-a-key';

/**
 * Registers the suite of every plugin.
 *
 * @param test any runner's: `test` of node:test, `it` of vitest
 * @param plugin the plugin
 * @param open makes a service with it, over an empty store, for each test
 * @param facts what its paths and its tools are to be asked with
 * @example
 * import { test } from 'node:test';
 * pluginContract(test, plugin, async () => {
 *   const store = SqliteStore.open(':memory:');
 *   const gazette = createGazette({ store, plugins: [plugin] });
 *   const dispose = async () => { await gazette.close(); await store.close(); };
 *   return { store, fetch: gazette.fetch, figures: () => gazette.metrics.registry.metrics(), dispose };
 * });
 */
export function pluginContract(
  test: Test,
  plugin: {
    readonly name: string;
    readonly routes?: readonly { readonly path: string }[];
    readonly pages?: readonly { readonly path: string }[];
    readonly tools?: readonly { readonly name: string }[];
    readonly metrics?: readonly { readonly name: string }[];
  },
  open: () => Promise<OpenedPlugin>,
  { params = {}, query = {}, args = {} }: PluginFacts = {},
): void {
  const { name, routes = [], pages = [], tools = [], metrics = [] } = plugin;
  const withService = (title: string, run: (opened: OpenedPlugin) => Promise<void>): void => {
    test(`${name}: ${title}`, async () => {
      const opened = await open();
      try {
        await fill(opened.store);
        await run(opened);
      } finally {
        await opened.dispose();
      }
    });
  };
  const known: Readonly<Record<string, string>> = { ...params, feed_id: 'permits', record_id: 'permits:1' };
  const places = [...routes.map(({ path }) => `/api/v1${path}`), ...pages.map(({ path }) => path)];
  const addressOf = (path: string, values: Readonly<Record<string, string>>): string =>
    SITE +
    path.replaceAll(/\{([a-z_]+)\}/g, (_, one: string) => encodeURIComponent(values[one] ?? one)) +
    queryOf(query[path.replace('/api/v1', '')]);

  for (const path of places) {
    withService(
      `${path} answers, to HEAD too, and tells the public nothing that only a key opens`,
      async ({ fetch, key }) => {
        if (key !== undefined) await fetch(new Request(addressOf(path, known), { headers: bearing(key) }));
        const response = await fetch(new Request(addressOf(path, known)));
        const text = await response.text();
        // A route for payers says so.
        assert.ok([200, 401].includes(response.status), `${response.status}: ${text}`);
        assert.ok(!text.includes(HIDDEN), text);
        const head = await fetch(new Request(addressOf(path, known), { method: 'HEAD' }));
        assert.deepEqual([head.status, await head.text()], [response.status, '']);
        assert.equal(head.headers.get('content-type'), response.headers.get('content-type'));
      },
    );

    if (!path.includes('{feed_id}')) continue;
    withService(`${path} knows no register that there is not`, async ({ fetch }) => {
      const response = await fetch(new Request(addressOf(path, { ...known, feed_id: 'none' })));
      assert.ok([401, 404].includes(response.status), String(response.status));
    });
  }

  for (const tool of tools) {
    withService(
      `${tool.name} is listed, answers, and tells the public nothing that only a key opens`,
      async ({ fetch, key }) => {
        const listed = await ask(fetch, 'tools/list', {});
        const { tools: all } = listed.result as { readonly tools: readonly Described[] };
        const described = all.find(({ name }) => name === tool.name);
        assert.ok(described, `${tool.name} is not listed`);
        const members = Object.keys(described.inputSchema.properties ?? {});
        const ours = Object.entries(known).filter(([member]) => members.includes(member));
        const given = { ...Object.fromEntries(ours), ...args[tool.name] };
        const call = { name: tool.name, arguments: given };
        if (key !== undefined) await ask(fetch, 'tools/call', call, bearing(key));
        const called = await ask(fetch, 'tools/call', call);
        assert.ok(
          (called.result as { readonly isError?: boolean } | undefined)?.isError === false,
          JSON.stringify(called),
        );
        assert.ok(!JSON.stringify(called).includes(HIDDEN), JSON.stringify(called));
      },
    );
  }

  if (metrics.length > 0) {
    withService('its metrics are figures of registers', async ({ figures }) => {
      const text = await figures();
      for (const metric of metrics) {
        assert.match(text, new RegExp(`^${metric.name}\\{[^}]*register="permits"[^}]*\\} -?[0-9.]`, 'm'));
      }
    });
  }
}

/** A tool, as a list has it. */
interface Described {
  readonly name: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
}

/** Fills the store with a register of which the public sees three records. */
async function fill(store: RegisterStore): Promise<void> {
  await store.createRegister(permits());
  const records = Array.from({ length: RECORDS }, (_, index) => {
    const mark = index < RECORDS - 3 ? HIDDEN : 'open';
    // Behind what a preview shows of a summary.
    const summary = `${'Summary of the decision. '.repeat(20)}${mark}`;
    return say(String(index + 1), { summary, content: mark, author: mark, data: { applicant: mark } });
  });
  await store.apply('permits', records, { recordedAt: at(1) });
}

/** Sends a message of the Model Context Protocol. */
async function ask(
  fetch: OpenedPlugin['fetch'],
  method: string,
  params: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly result?: unknown }> {
  const request = new Request(`${SITE}/api/v1/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await (await fetch(request)).json()) as { readonly result?: unknown };
}

/** The header field with a key. */
function bearing(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

/** A query as the end of an address. */
function queryOf(text: string | undefined): string {
  return text === undefined ? '' : `?${text}`;
}
