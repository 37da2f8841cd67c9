// What the subcommands of `gazette webhook` do.
import { GazetteError } from '../../../errors.ts';
import type { WebhookEndpoint } from '../../../stores/contract/endpoints.ts';
import { type EndpointUpdate, Endpoints, isDeliveryId, type IssuedSecret } from '../../../operate/endpoints.ts';
import { rekeySecrets } from '../../../operate/rekey.ts';
import { counted } from '../../../register/counted.ts';
import { printJson, say } from '../../io/say.ts';
import { destinationRules, nameResolver, secretBox } from '../../process/sending.ts';
import type { DestinationOptions } from '../../options/sending.ts';
import { readFilter } from '../../options/filters.ts';
import { readGrace } from '../../options/keys.ts';
import { type StoreOptions, withStore } from '../../options/store.ts';
import {
  type AttemptAnswer,
  type DeliveryAnswer,
  toAttemptAnswer,
  toDeliveryAnswer,
  toEndpointAnswer,
} from '../../../operate/answers.ts';
import type { Io } from '../../io/io.ts';

/** Before every delivery. */
const EARLIEST = '0001-01-01T00:00:00Z';

/** The options of all subcommands. */
export interface WebhookOptions extends StoreOptions {
  readonly json?: true;
}

/** The options of `add`. */
export type AddOptions = WebhookOptions &
  DestinationOptions & {
    readonly feed: readonly string[];
    readonly event: readonly string[];
    readonly filter: readonly string[];
    readonly standardWebhooks?: boolean;
  };

/** The options of `update`. */
export type UpdateOptions = AddOptions & {
  readonly url?: string;
  readonly allFeeds?: true;
  readonly allEvents?: true;
  readonly allRecords?: true;
};

/** The options of `rotate-secret`. */
export type RotateOptions = WebhookOptions & { readonly activate?: true; readonly grace?: string };

/** The options of `replay`. */
export type ReplayOptions = WebhookOptions & { readonly since?: string; readonly failed?: true };

/** The options of `deliveries`. */
export type DeliveriesOptions = WebhookOptions & { readonly limit: number; readonly before?: string };

/** Adds an endpoint. */
export async function add(accountId: string, url: string, options: AddOptions, io: Io): Promise<void> {
  await withEndpoints(options, io, async (endpoints) => {
    const { feed: feeds, event: types, filter, standardWebhooks: isStandard = false } = options;
    const issued = await endpoints.add({
      accountId,
      url,
      feeds,
      types,
      filters: readFilter({ filter }) ?? {},
      isStandard,
    });
    tellSecret(issued, `created ${issued.endpoint.id} for account ${accountId}`, options, io);
  });
}

/** Changes an endpoint. */
export function update(id: string, options: UpdateOptions, io: Io): Promise<void> {
  const { url, feed, event, filter, allFeeds, allEvents, allRecords, standardWebhooks } = options;
  const feeds = eitherOf('--feed', feed, '--all-feeds', allFeeds);
  const types = eitherOf('--event', event, '--all-events', allEvents);
  const filters = eitherOf('--filter', filter, '--all-records', allRecords);
  const changes: EndpointUpdate = {
    ...(url === undefined ? {} : { url }),
    ...(feeds === null ? {} : { feeds }),
    ...(types === null ? {} : { types }),
    ...(filters === null ? {} : { filters: readFilter({ filter: filters }) ?? {} }),
    ...(standardWebhooks === undefined ? {} : { isStandard: standardWebhooks }),
  };
  if (Object.keys(changes).length === 0) {
    throw new GazetteError('usage', 'give what to change: --url, --feed, --event, --filter or --standard-webhooks');
  }
  return change(options, io, (endpoints) => endpoints.update(id, changes), 'is changed; its secret stays');
}

/** Deletes an endpoint. */
export async function remove(id: string, options: WebhookOptions, io: Io): Promise<void> {
  await withEndpoints(options, io, async (endpoints) => {
    await endpoints.remove(id);
    if (options.json === true) printJson(io, { removed: id });
    else say(io, `removed ${id} and its deliveries`);
  });
}

/** Lists endpoints. */
export async function list(account: string | undefined, options: WebhookOptions, io: Io): Promise<void> {
  await withEndpoints(options, io, async (endpoints) => {
    const all = (await endpoints.all(account)).map(toEndpointAnswer);
    if (options.json === true) {
      printJson(io, all);
      return;
    }
    for (const endpoint of all) {
      const { id, account: owner, url, feeds, events, filters, disabled_reason, disabled_at, failing_since } = endpoint;
      const failing = failing_since === null ? 'works' : `failing since ${failing_since}`;
      const state = disabled_reason === null ? failing : `disabled (${disabled_reason}) ${disabled_at!}`;
      const hears = `${feeds?.join(',') ?? 'all registers'}  ${events?.join(',') ?? 'all events'}`;
      const only = Object.entries(filters ?? {}).flatMap(([name, values]) =>
        values.map((value) => `  ${name}=${value}`),
      );
      io.stdout.write(`${id}  ${owner}  ${state}  ${url}  ${hears}${only.join('')}\n`);
    }
  });
}

/** Creates a test delivery. */
export async function test(id: string, options: WebhookOptions & { readonly event?: string }, io: Io): Promise<void> {
  await withEndpoints(options, io, async (endpoints) => {
    const delivery = await endpoints.test(id, options.event === undefined ? {} : { type: options.event });
    if (options.json === true) printJson(io, toDeliveryAnswer(delivery));
    else
      say(
        io,
        `${delivery.id} will be sent to ${id}; gazette webhook deliveries ${delivery.id} shows what became of it`,
      );
  });
}

/** Disables an endpoint. */
export function disable(id: string, options: WebhookOptions, io: Io): Promise<void> {
  return change(
    options,
    io,
    (endpoints) => endpoints.disable(id),
    'is disabled: its events are skipped, and can be replayed',
  );
}

/** Enables an endpoint. */
export function enable(id: string, options: WebhookOptions, io: Io): Promise<void> {
  return change(
    options,
    io,
    (endpoints) => endpoints.enable(id),
    'is enabled; gazette webhook replay sends what it missed',
  );
}

async function change(
  options: WebhookOptions,
  io: Io,
  make: (endpoints: Endpoints) => Promise<WebhookEndpoint>,
  said: string,
): Promise<void> {
  await withEndpoints(options, io, async (endpoints) => {
    const endpoint = await make(endpoints);
    if (options.json === true) printJson(io, toEndpointAnswer(endpoint));
    else say(io, `${endpoint.id} ${said}`);
  });
}

/** Prepares a new secret, or activates it. */
export async function rotate(id: string, options: RotateOptions, io: Io): Promise<void> {
  const { activate, grace } = options;
  if (activate === true) {
    const graceMs = readGrace(grace ?? '0');
    const said = graceMs === 0 ? 'uses its new secret' : 'uses its new secret, and for the grace the old one too';
    await change(options, io, (endpoints) => endpoints.activateSecret(id, { graceMs }), said);
    return;
  }
  if (grace !== undefined) throw new GazetteError('usage', '--grace needs --activate');
  await withEndpoints(options, io, async (endpoints) => {
    const next = 'let the receiver accept both, then run gazette webhook rotate-secret --activate';
    const issued = await endpoints.prepareSecret(id);
    if (issued.replacesPrepared) say(io, 'the secret that was prepared before and not activated is void');
    tellSecret(issued, `prepared a new secret for ${id}: ${next}`, options, io);
  });
}

/** Encrypts all secrets with the first key. */
export async function rekey(options: WebhookOptions, io: Io): Promise<void> {
  const box = secretBox(io);
  await withStore(options, io, async (store) => {
    const rekeyed = await rekeySecrets(store, box);
    if (options.json === true) printJson(io, { rekeyed });
    else say(io, `encrypted ${counted(rekeyed, 'secret')} again; all secrets are now under the first key`);
  });
}

/** Lists deliveries, or shows one. */
export async function deliveries(id: string, options: DeliveriesOptions, io: Io): Promise<void> {
  const { limit, before } = options;
  await withEndpoints(options, io, async (endpoints) => {
    if (isDeliveryId(id)) {
      const history = await endpoints.delivery(id);
      const delivery = toDeliveryAnswer(history.delivery);
      const all = history.attempts.map(toAttemptAnswer);
      if (options.json === true) printJson(io, { ...delivery, all_attempts: all });
      else tell(delivery, all, io);
      return;
    }
    const found = await endpoints.deliveries(id, before === undefined ? { limit } : { limit, before });
    if (options.json === true) printJson(io, found.map(toDeliveryAnswer));
    else for (const delivery of found) tell(toDeliveryAnswer(delivery), [], io);
  });
}

/** Sends deliveries again. */
export async function replay(id: string, { since, failed, ...options }: ReplayOptions, io: Io): Promise<void> {
  const isDelivery = isDeliveryId(id);
  if (isDelivery === (since !== undefined || failed === true)) {
    throw new GazetteError('usage', 'give the id of a delivery, or an endpoint and --since or --failed');
  }
  const which = isDelivery
    ? { deliveryId: id }
    : { endpointId: id, since: since ?? EARLIEST, isMissed: failed === true };
  await withEndpoints(options, io, async (endpoints) => {
    const replayed = await endpoints.replay(which);
    if (options.json === true) printJson(io, { replayed });
    else say(io, `${replayed} ${replayed === 1 ? 'delivery' : 'deliveries'} will be sent again`);
  });
}

async function withEndpoints(
  options: WebhookOptions & DestinationOptions,
  io: Io,
  use: (endpoints: Endpoints) => Promise<void>,
): Promise<void> {
  const given = { box: () => secretBox(io), rules: destinationRules(options), resolve: nameResolver(options).resolve };
  await withStore(options, io, (store) => use(new Endpoints(store, given)));
}

function tellSecret({ endpoint, secret }: IssuedSecret, done: string, options: WebhookOptions, io: Io): void {
  if (options.json === true) {
    printJson(io, { secret, ...toEndpointAnswer(endpoint) });
    return;
  }
  say(io, done);
  say(io, 'the secret is shown only this once');
  io.stdout.write(`${secret}\n`);
}

function tell(delivery: DeliveryAnswer, attempts: readonly AttemptAnswer[], { stdout }: Io): void {
  const { id, created_at, type, record_id, version, state, reason, next_attempt_at, last_attempt } = delivery;
  const what = record_id === null ? type : `${type} ${record_id} v${version ?? ''}`;
  const why = [reason, last_attempt === null ? null : statusOf(last_attempt)]
    .filter((text) => text !== null)
    .join(', ');
  const next = next_attempt_at === null ? '' : `  next ${next_attempt_at}`;
  stdout.write(`${id}  ${created_at}  ${what}  ${state}${why === '' ? '' : ` (${why})`}${next}\n`);
  for (const attempt of attempts) {
    stdout.write(`  ${attempt.at}  ${statusOf(attempt)}  ${attempt.duration_ms} ms\n`);
  }
}

function statusOf({ status, error }: AttemptAnswer): string {
  return status === null ? (error ?? 'no answer') : String(status);
}

/** The new values, `[]` for all; null when they stay. */
function eitherOf(name: string, given: readonly string[], allName: string, all: true | undefined): string[] | null {
  if (all === undefined) return given.length === 0 ? null : [...given];
  if (given.length === 0) return [];
  throw new GazetteError('usage', `give ${name} or ${allName}, not both`);
}
