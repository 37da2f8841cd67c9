// A world whose accounts are handled over HTTP: with secrets for endpoints, a second account, and programs with keys.
import { expect } from 'vitest';
import type { KeyRequest } from '../../../src/operate/accounts.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { type OpenApi, OpenApiJudge } from '../../contracts/openapi-judge.ts';
import { API, SAMPLES, type World, world } from '../../world.ts';

/** An answer, read. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Asks for a path below `/api/v1`. */
export type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>;

/** The account `acme` with an account `other` beside. */
export interface AccountService extends World {
  /** Asks with a new key of an account. */
  readonly asker: (request?: KeyRequest, accountId?: string) => Promise<Ask>;
}

/** The judges of services, by openapi.json of each, which is another one where records are sold. */
const JUDGES = new WeakMap<object, Map<string, Promise<OpenApiJudge>>>();

async function judgeOf({ fetch }: Pick<World, 'fetch'>): Promise<OpenApiJudge> {
  const judges = JUDGES.get(fetch) ?? new Map<string, Promise<OpenApiJudge>>();
  JUDGES.set(fetch, judges);
  const ask = (method: string): Promise<Response> => fetch(new Request(`${API}/openapi.json`, { method }));
  const etag = (await ask('HEAD')).headers.get('etag')!;
  const judge =
    judges.get(etag) ?? ask('GET').then(async (answer) => new OpenApiJudge((await answer.json()) as OpenApi));
  judges.set(etag, judge);
  return judge;
}

/** Asks a service with a key. Every answer must be as openapi.json describes it. */
export function askerOf(service: Pick<World, 'fetch'>, key: string): Ask {
  return async (method, path, body, headers = {}) => {
    const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const given = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
    const response = await service.fetch(new Request(API + path, { method, headers: given, ...init }), {
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
export async function accountService(): Promise<AccountService> {
  const endpoints = { box: () => SecretBox.fromHex('ab'.repeat(32)) };
  const service = await world({ samples: SAMPLES, endpoints });
  await service.accounts.add('other', '2030-01-01T00:00:00Z');
  return {
    ...service,
    async asker(request = { scopes: ['read', 'webhooks', 'account'] }, accountId = 'acme') {
      return askerOf(service, (await service.accounts.createKey(accountId, request)).key);
    },
  };
}
