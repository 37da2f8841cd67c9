// A service whose accounts are handled over HTTP, and programs with keys.
import { expect } from 'vitest';
import type { KeyRequest } from '../../../src/operate/accounts.ts';
import type { GazetteOptions } from '../../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { type OpenApi, OpenApiJudge } from '../../contracts/openapi-judge.ts';
import { API, type DemoService, demoService } from '../../service/demo-service.ts';

/** An answer, read. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Asks for a path below `/api/v1`. */
export type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>;

/** The service `demo` with an account `other` beside. */
export interface AccountService extends DemoService {
  /** Asks with a new key of an account. */
  readonly asker: (request?: KeyRequest, accountId?: string) => Promise<Ask>;
}

/** The judges of services, by openapi.json of each, which is another one where records are sold. */
const JUDGES = new WeakMap<object, Map<string, Promise<OpenApiJudge>>>();

async function judgeOf({ gazette }: Pick<DemoService, 'gazette'>): Promise<OpenApiJudge> {
  const judges = JUDGES.get(gazette) ?? new Map<string, Promise<OpenApiJudge>>();
  JUDGES.set(gazette, judges);
  const ask = (method: string): Promise<Response> => gazette.fetch(new Request(`${API}/openapi.json`, { method }));
  const etag = (await ask('HEAD')).headers.get('etag')!;
  const judge =
    judges.get(etag) ?? ask('GET').then(async (answer) => new OpenApiJudge((await answer.json()) as OpenApi));
  judges.set(etag, judge);
  return judge;
}

/** Asks a service with a key. Every answer must be as openapi.json describes it. */
export function askerOf(service: Pick<DemoService, 'gazette'>, key: string): Ask {
  const { gazette } = service;
  return async (method, path, body, headers = {}) => {
    const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const given = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
    const response = await gazette.fetch(new Request(API + path, { method, headers: given, ...init }), {
      remoteAddress: '203.0.113.7',
    });
    const complaints = await (await judgeOf(service)).complaints({ method, url: API + path }, response.clone());
    expect(complaints).toEqual([]);
    const text = await response.text();
    const parsed = text === '' ? {} : (JSON.parse(text) as Answered['body']);
    return { status: response.status, headers: response.headers, body: parsed, text };
  };
}

/** Makes one. */
export async function accountService(
  options: Partial<GazetteOptions> = {},
  store?: ServiceStore,
): Promise<AccountService> {
  const endpoints = { box: () => SecretBox.fromHex('ab'.repeat(32)) };
  const service = await demoService({ endpoints, ...options }, store);
  await service.accounts.add('other', '2030-01-01T00:00:00Z');
  return {
    ...service,
    async asker(request = { scopes: ['read', 'webhooks', 'account'] }, accountId = 'demo') {
      return askerOf(service, (await service.accounts.createKey(accountId, request)).key);
    },
  };
}
