// How the account's routes answer: who may ask, what is read of the request, and that a request with an Idempotency-Key takes
// effect once (draft-ietf-httpapi-idempotency-key-header). Cookies open nothing here.
import { createHash, randomUUID } from 'node:crypto';
import { keyOf } from '../../../access/access.ts';
import { type ErrorCode, GazetteError, isGazetteError } from '../../../errors.ts';
import type { OwnAccount } from '../../../operate/own-account.ts';
import type { ApiKeyEntry, KeyScope, ServiceStore } from '../../../stores/contract/accounts.ts';
import { storedJson } from '../../../stores/rows/stored-json.ts';
import type { Documentation } from '../../../web/documentation.ts';
import { idempotencyKeyOf } from '../../../access/idempotency-key.ts';
import type { HttpResponse } from '../../../web/representation.ts';
import type { Route } from '../../route.ts';
import type { RequestContext } from '../../request-context.ts';
import { jsonBody } from '../../service-context.ts';
import { type Body, BODY_CODES, bodyBytes, invalidBody } from '../json-body.ts';
import type { IdInPath } from './query.ts';

/** The stores that an account's operations need. */
type AccountStores = Pick<ServiceStore, 'accounts' | 'deliveries'>;

/** What the account's routes need. */
export interface AccountServices {
  readonly store: AccountStores & Pick<ServiceStore, 'idempotency'>;
  /** An account for a key, on a store or on parts of it. */
  readonly ownAccount: (accountId: string, by: ApiKeyEntry | null, stores: AccountStores) => OwnAccount;
  /** Whether the service sells records. */
  readonly isSelling: () => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What an operation is given. */
export interface Asked<Input> {
  readonly input: Input;
  /** The id in the path; empty where there is none. */
  readonly id: string;
  readonly parameters: URLSearchParams;
  /** When it was asked, in milliseconds since 1970. */
  readonly atMs: number;
}

/** One method of a route. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly documentation: Documentation;
  answer(services: AccountServices, context: RequestContext, id: string): Promise<HttpResponse>;
}

/** An operation's part of the description; the rest is the same for all. */
export type Described = Pick<Documentation, 'operationId' | 'summary' | 'description' | 'response'> &
  Partial<Pick<Documentation, 'query' | 'codes'>>;

/** An operation that changes nothing, or may be asked twice. */
export function plainOperation<Input>(
  method: 'GET' | 'PATCH' | 'DELETE',
  described: Described,
  body: Body<Input> | null,
  act: (own: OwnAccount, asked: Asked<Input | null>) => Promise<object>,
): Operation {
  return {
    method,
    documentation: documentationOf(described, body),
    async answer(services, context, id) {
      const { access, request, parameters } = context;
      const input = body === null ? null : (await bodyHere(services, body)).parse(await bodyBytes(request));
      const own = accountFor(services, services.store, access);
      return json(context, 200, await act(own, { input, id, parameters, atMs: services.now() }));
    },
  };
}

/** What an operation did. */
export interface Done<Kept> {
  /** What the change of the store returned: the answer is made of it, also when the request is repeated. */
  readonly kept: Kept;
  /** What is shown this once; null where there is nothing. */
  readonly secret: string | null;
}

/** An operation that must not take effect twice. */
export interface Change<Input, Kept> {
  readonly status: 200 | 201;
  readonly body: Body<Input>;
  readonly act: (own: OwnAccount, asked: Asked<Input>) => Promise<Done<Kept>>;
  /** The answer. @param atMs when it was asked first */
  readonly show: (kept: Kept, asked: { readonly id: string; readonly atMs: number }) => object;
  /** The member of the answer that has the secret; absent: there is none. */
  readonly secretName?: 'key' | 'secret';
}

/** An operation of method POST. */
export function changeOperation<Input, Kept>(described: Described, change: Change<Input, Kept>): Operation {
  const { status, body, act, show, secretName } = change;
  const codes: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_mismatch', ...(described.codes ?? [])];
  const answerOf = (context: RequestContext, id: string, atMs: number, { kept, secret }: Done<Kept>): HttpResponse => {
    const shown = secretName === undefined ? {} : { [secretName]: secret };
    const why = secretName === undefined || secret !== null ? {} : { code: 'shown_once' };
    return json(context, status, { ...shown, ...why, ...show(kept, { id, atMs }) });
  };
  return {
    method: 'POST',
    documentation: { ...documentationOf({ ...described, codes }, body), status },
    async answer(services, context, id) {
      const { access, request, parameters } = context;
      const bytes = await bodyBytes(request);
      const atMs = services.now();
      const asked = { input: (await bodyHere(services, body)).parse(bytes), id, parameters, atMs };
      const key = idempotencyKeyOf(request);
      if (key === null)
        return answerOf(context, id, atMs, await act(accountFor(services, services.store, access), asked));
      const { idempotency } = services.store;
      const token = randomUUID();
      const begun = await idempotency.begin({
        ...{ accountId: accountOf(access), route: `POST ${context.route!}`, key, token },
        digest: createHash('sha256').update(`${context.path}\n`).update(bytes).digest(),
        ...{ at: timeOf(atMs), until: timeOf(atMs + ATTEMPT_MS), forgetBefore: timeOf(atMs - KEPT_MS) },
      });
      if (begun.kind === 'done') {
        // What this rule kept, in this or in an earlier process.
        const kept = storedJson(begun.result) as Kept;
        return answerOf(context, id, Date.parse(begun.at), { kept, secret: null });
      }
      if (begun.kind !== 'begun') throw REFUSED[begun.kind]();
      try {
        return answerOf(context, id, atMs, await act(accountFor(services, idempotency.ending(token), access), asked));
      } catch (error) {
        await idempotency.abandon(token);
        throw error;
      }
    },
  };
}

/** What the body may be in this service. */
async function bodyHere<Input>({ isSelling }: AccountServices, body: Body<Input>): Promise<Pick<Body<Input>, 'parse'>> {
  return body.selling !== undefined && (await isSelling()) ? body.selling : body;
}

/** How long a request is kept. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Longer than the longest: looking up where an endpoint is, and replaying many deliveries. */
const ATTEMPT_MS = 120_000;

const REFUSED: Readonly<Record<'running' | 'mismatch', () => GazetteError>> = {
  running: () =>
    new GazetteError(
      'idempotency_in_progress',
      'a request with this Idempotency-Key is being carried out; ask again soon',
    ),
  mismatch: () =>
    new GazetteError(
      'idempotency_mismatch',
      'this Idempotency-Key was used with another body or path; choose another one',
    ),
};

/** The route of some operations on one path. @param scope what a key must be for @param inPath the id in it, if any */
export function accountRoute(
  services: AccountServices,
  path: string,
  scope: KeyScope,
  inPath: IdInPath | null,
  operations: readonly Operation[],
): Route {
  const byMethod = new Map<string, Operation>(operations.map((operation) => [operation.method, operation]));
  const described = operations.map(({ method, documentation }) => {
    return [method, inPath === null ? documentation : { ...documentation, params: inPath.params }] as const;
  });
  return {
    path,
    access: 'pro',
    scope,
    methods: operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    documentation: described[0]![1],
    otherDocumentation: Object.fromEntries(described.slice(1)),
    async answer(context, { id = '' }) {
      const { method } = context.request;
      try {
        if (inPath?.params.safeParse({ id }).success === false) throw inPath.unknown(id);
        const answer = await byMethod.get(method === 'HEAD' ? 'GET' : method)!.answer(services, context, id);
        return method === 'HEAD' ? { ...answer, body: null } : answer;
      } catch (error) {
        throw asAnswered(error);
      }
    },
  };
}

/** What operate/ refuses of a request, as an answer says it. */
function asAnswered(error: unknown): unknown {
  if (isGazetteError(error, 'invalid_secrets_key')) {
    const message = 'this service has no key to encrypt signing secrets with; ask its operator';
    return new GazetteError('no_secrets_key', message, { cause: error });
  }
  if (isGazetteError(error, 'unknown_key')) return new GazetteError('unknown_key_id', error.message, { cause: error });
  if (isGazetteError(error, 'invalid_option') || isGazetteError(error, 'unknown_feed')) {
    const { option } = error.details;
    const member = isGazetteError(error, 'unknown_feed') ? 'feeds' : typeof option === 'string' ? option : '';
    return invalidBody(error.message, member);
  }
  return error;
}

function documentationOf<Input>({ codes = [], ...described }: Described, body: Body<Input> | null): Documentation {
  return {
    ...described,
    tag: 'Account',
    isPrivate: true,
    codes: [...(body === null ? [] : BODY_CODES), ...codes],
    ...(body === null ? {} : { body: { 'application/json': { schema: body.schema } } }),
  };
}

/** The account of who asks. */
export function accountFor(
  services: AccountServices,
  stores: AccountStores,
  access: RequestContext['access'],
): OwnAccount {
  return services.ownAccount(accountOf(access), keyOf(access), stores);
}

/** Only whose key is known comes here. */
function accountOf(access: RequestContext['access']): string {
  const key = keyOf(access);
  if (key !== null) return key.accountId;
  throw new GazetteError('credentials_required', 'this needs an API key: send Authorization: Bearer <API_KEY>');
}

function json(context: RequestContext, status: number, value: object): HttpResponse {
  const { headers, body } = jsonBody(value);
  return { status, headers: { ...context.headers, ...headers, 'cache-control': 'private, no-store' }, body };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
