// The contract of every plugin: what it adds answers, tells the public nothing of records that the public does not see, and refuses
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
  /** Called when the test is done. */
  readonly dispose: () => Promise<void>;
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
 * @param args the arguments of its tools, by their names. `feed_id` and `record_id`, there and in paths, are those of the suite; any
 *   other parameter of a path is its own name
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
  args: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> = {},
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
  const known: Readonly<Record<string, string>> = { feed_id: 'permits', record_id: 'permits:1' };
  const places = [...routes.map(({ path }) => `/api/v1${path}`), ...pages.map(({ path }) => path)];
  const addressOf = (path: string, values: Readonly<Record<string, string>>): string =>
    SITE + path.replaceAll(/\{([a-z_]+)\}/g, (_, one: string) => encodeURIComponent(values[one] ?? one));

  for (const path of places) {
    withService(
      `${path} answers, to HEAD too, and tells the public nothing that only a key opens`,
      async ({ fetch }) => {
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
      async ({ fetch }) => {
        const listed = await ask(fetch, 'tools/list', {});
        const { tools: all } = listed.result as { readonly tools: readonly Described[] };
        const described = all.find(({ name }) => name === tool.name);
        assert.ok(described, `${tool.name} is not listed`);
        const members = Object.keys(described.inputSchema.properties ?? {});
        const ours = Object.entries(known).filter(([member]) => members.includes(member));
        const given = { ...Object.fromEntries(ours), ...args[tool.name] };
        const called = await ask(fetch, 'tools/call', { name: tool.name, arguments: given });
        assert.ok(called.result !== undefined, JSON.stringify(called));
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
): Promise<{ readonly result?: unknown }> {
  const request = new Request(`${SITE}/api/v1/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await (await fetch(request)).json()) as { readonly result?: unknown };
}
