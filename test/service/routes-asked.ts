// Every route of the service as a table, for tests of what all of them answer in trouble.
import { expect } from 'vitest';
import { keyAt } from '../world.ts';

/** Every route of the public document, and those beside it, as it is asked for of a {@link deploy}ed service. */
export const ROUTES: Readonly<Record<string, string>> = {
  '/': '/api/v1',
  '/feeds': '/api/v1/feeds',
  '/feeds/{feed_id}': '/api/v1/feeds/permits',
  '/feeds/{feed_id}/openapi.json': '/api/v1/feeds/permits/openapi.json',
  '/feeds/{feed_id}/register.xsd': '/api/v1/feeds/permits/register.xsd',
  '/feeds/{feed_id}/register.{format}': '/api/v1/feeds/permits/register.csv',
  '/feeds/{feed_id}/datapackage.json': '/api/v1/feeds/permits/datapackage.json',
  '/feeds/{feed_id}/calendar/{name}.ics': '/api/v1/feeds/permits/calendar/published_at.ics',
  '/feeds/{feed_id}/facets': '/api/v1/feeds/permits/facets',
  '/feeds/{feed_id}/records': '/api/v1/feeds/permits/records',
  '/feeds/{feed_id}/records/export.{format}': '/api/v1/feeds/permits/records/export.csv',
  '/feeds/{feed_id}/changes': '/api/v1/feeds/permits/changes',
  '/feeds/{feed_id}/stream': '/api/v1/feeds/permits/stream',
  '/records/{record_id}': `/api/v1/records/permits:${keyAt(7)}`,
  '/records/{record_id}/history': `/api/v1/records/permits:${keyAt(7)}/history`,
  '/account': '/api/v1/account',
  '/account/keys': '/api/v1/account/keys',
  '/account/endpoints': '/api/v1/account/endpoints',
  '/account/deliveries': '/api/v1/account/deliveries',
  '/mcp': '/api/v1/mcp',
  '/openapi.json': '/api/v1/openapi.json',
  '/reference': '/api/v1/reference',
  '/readyz': '/readyz',
};

/** No log's UUID. */
const LOG = '0b9d3c5e-0000-4000-8000-000000000000';

/** The routes of the public document that need something which a deployed service does not have, and how one asks them. */
const OTHERS: Readonly<Record<string, string>> = {
  // No page is closed.
  '/feeds/{feed_id}/pages/{page}': 'GET /api/v1/feeds/permits/pages/000001.csv',
  // The log is not signed.
  '/feeds/{feed_id}/log/{log}/checkpoint': `GET /api/v1/feeds/permits/log/${LOG}/checkpoint`,
  '/feeds/{feed_id}/log/{log}/tile/{level}/{a}': `GET /api/v1/feeds/permits/log/${LOG}/tile/0/000`,
  '/log': 'GET /api/v1/log',
  '/log/{log}/checkpoint': `GET /api/v1/log/${LOG}/checkpoint`,
  '/log/{log}/tile/{level}/{a}': `GET /api/v1/log/${LOG}/tile/0/000`,
  '/records/{record_id}/proof': `GET /api/v1/records/permits:${keyAt(7)}/proof`,
  '/account/keys/{id}': 'PATCH /api/v1/account/keys/key_abcdefghijkl',
  '/account/keys/{id}/rotate': 'POST /api/v1/account/keys/key_abcdefghijkl/rotate',
  '/account/endpoints/{id}': 'GET /api/v1/account/endpoints/ep_0123456789abcdef01',
  '/account/endpoints/{id}/test': 'POST /api/v1/account/endpoints/ep_0123456789abcdef01/test',
  '/account/endpoints/{id}/rotate-secret': 'POST /api/v1/account/endpoints/ep_0123456789abcdef01/rotate-secret',
  '/account/endpoints/{id}/activate-secret': 'POST /api/v1/account/endpoints/ep_0123456789abcdef01/activate-secret',
  '/account/endpoints/{id}/replay': 'POST /api/v1/account/endpoints/ep_0123456789abcdef01/replay',
  '/account/deliveries/{id}': 'GET /api/v1/account/deliveries/dlv_1',
  '/account/deliveries/{id}/replay': 'POST /api/v1/account/deliveries/dlv_1/replay',
};

/** What a request is sent with. */
export interface Asked {
  readonly path: string;
  readonly init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

const TOOLS: readonly object[] = [
  { name: 'list_registers', arguments: {} },
  { name: 'read_register', arguments: { feed_id: 'permits' } },
  { name: 'read_record', arguments: { record_id: `permits:${keyAt(7)}` } },
  { name: 'record_history', arguments: { record_id: `permits:${keyAt(7)}` } },
];

/** A request for every route with the key; for the agents' route one of each tool. */
export function everyRequest(key: string): readonly Asked[] {
  const headers = { Authorization: `Bearer ${key}` };
  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return Object.values(ROUTES).flatMap((path): readonly Asked[] => {
    if (!path.endsWith('/mcp')) return [{ path, init: { method: 'GET', headers } }];
    return TOOLS.map((params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return { path, init: { method: 'POST', headers: { ...headers, ...json }, body } };
    });
  });
}

/** A request for every other route with the key. */
export function everyOther(key: string): readonly Asked[] {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return Object.values(OTHERS).map((asked) => {
    const [method, path] = asked.split(' ') as [string, string];
    return { path, init: { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) } };
  });
}

/** What matters of an answer in trouble: status, code, and whether it says when to come back. */
export async function told(response: Response): Promise<readonly [number, string | null, boolean]> {
  const body = await response.text();
  const code = response.status === 200 ? null : (JSON.parse(body) as { readonly code: string }).code;
  return [response.status, code, Number(response.headers.get('Retry-After')) > 0];
}

/** What is told of a request while the store is away. */
export function away(path: string): Awaited<ReturnType<typeof told>> {
  return [503, path === '/readyz' ? 'not_ready' : 'store_unavailable', true];
}

/** Fails when a route of the service's own document has no row here. */
export function expectWhole(document: { readonly paths: object }): void {
  expect(Object.keys({ ...ROUTES, ...OTHERS }).sort()).toEqual(
    [...Object.keys(document.paths), '/readyz', '/reference'].sort(),
  );
}
