// What the subcommands of `gazette webhook` do.
import { once } from 'node:events';
import { GazetteError, quote } from '../../../errors.ts';
import type { WebhookEndpoint } from '../../../stores/contract/deliveries.ts';
import { Endpoints, isDeliveryId, type IssuedSecret } from '../../../operate/endpoints.ts';
import { startTime } from '../../../operate/times.ts';
import { printJson, say } from '../../io/say.ts';
import { destinationRules, nameResolver, secretBox, startSending } from '../../process/sending.ts';
import type { DestinationOptions, SendingOptions } from '../../options/sending.ts';
import { type StoreOptions, withStore } from '../../options/store.ts';
import {
  type AttemptAnswer,
  type DeliveryAnswer,
  toAttemptAnswer,
  toDeliveryAnswer,
  toEndpointAnswer,
} from './answers.ts';

/** The options of all subcommands. */
export interface WebhookOptions extends StoreOptions {
  readonly json?: true;
}

/** The options of `add`. */
export type AddOptions = WebhookOptions & DestinationOptions & { readonly feed: string[]; readonly event: string[] };

/** The options of `deliveries`. */
export type DeliveriesOptions = WebhookOptions & { readonly limit: number; readonly before?: string };

/** Adds an endpoint. */
export async function add(accountId: string, url: string, options: AddOptions): Promise<void> {
  await withEndpoints(options, async (endpoints) => {
    const issued = await endpoints.add({ accountId, url, feeds: options.feed, types: options.event });
    tellSecret(issued, `created ${issued.endpoint.id} for account ${accountId}`, options);
  });
}

/** Lists endpoints. */
export async function list(account: string | undefined, options: WebhookOptions): Promise<void> {
  await withEndpoints(options, async (endpoints) => {
    const all = (await endpoints.all(account)).map(toEndpointAnswer);
    if (options.json === true) {
      printJson(all);
      return;
    }
    for (const { id, account: owner, url, feeds, events, disabled_reason, disabled_at, failing_since } of all) {
      const failing = failing_since === null ? 'works' : `failing since ${failing_since}`;
      const state = disabled_reason === null ? failing : `disabled (${disabled_reason}) ${disabled_at!}`;
      const hears = `${feeds?.join(',') ?? 'all registers'}  ${events?.join(',') ?? 'all events'}`;
      process.stdout.write(`${id}  ${owner}  ${state}  ${url}  ${hears}\n`);
    }
  });
}

/** Creates a test delivery. */
export async function test(id: string, options: WebhookOptions): Promise<void> {
  await withEndpoints(options, async (endpoints) => {
    const delivery = await endpoints.test(id);
    if (options.json === true) printJson(toDeliveryAnswer(delivery));
    else say(`${delivery.id} will be sent to ${id}; gazette webhook deliveries ${delivery.id} shows what became of it`);
  });
}

/** Disables an endpoint. */
export function disable(id: string, options: WebhookOptions): Promise<void> {
  return change(
    options,
    (endpoints) => endpoints.disable(id),
    'is disabled: its events are skipped, and can be replayed',
  );
}

/** Enables an endpoint. */
export function enable(id: string, options: WebhookOptions): Promise<void> {
  return change(
    options,
    (endpoints) => endpoints.enable(id),
    'is enabled; gazette webhook replay sends what it missed',
  );
}

async function change(
  options: WebhookOptions,
  make: (endpoints: Endpoints) => Promise<WebhookEndpoint>,
  said: string,
): Promise<void> {
  await withEndpoints(options, async (endpoints) => {
    const endpoint = await make(endpoints);
    if (options.json === true) printJson(toEndpointAnswer(endpoint));
    else say(`${endpoint.id} ${said}`);
  });
}

/** Prepares a new secret, or activates it. */
export async function rotate(id: string, options: WebhookOptions & { readonly activate?: true }): Promise<void> {
  if (options.activate === true) {
    await change(options, (endpoints) => endpoints.activateSecret(id), 'uses its new secret');
    return;
  }
  await withEndpoints(options, async (endpoints) => {
    const next = 'let the receiver accept both, then run gazette webhook rotate-secret --activate';
    tellSecret(await endpoints.prepareSecret(id), `prepared a new secret for ${id}: ${next}`, options);
  });
}

/** Lists deliveries, or shows one. */
export async function deliveries(id: string, options: DeliveriesOptions): Promise<void> {
  const { limit, before } = options;
  await withEndpoints(options, async (endpoints) => {
    if (isDeliveryId(id)) {
      const history = await endpoints.delivery(id);
      const delivery = toDeliveryAnswer(history.delivery);
      const all = history.attempts.map(toAttemptAnswer);
      if (options.json === true) printJson({ ...delivery, all_attempts: all });
      else tell(delivery, all);
      return;
    }
    const found = await endpoints.deliveries(id, before === undefined ? { limit } : { limit, before });
    if (options.json === true) printJson(found.map(toDeliveryAnswer));
    else for (const delivery of found) tell(toDeliveryAnswer(delivery), []);
  });
}

/** Sends deliveries again. */
export async function replay(id: string, options: WebhookOptions & { readonly since?: string }): Promise<void> {
  const isDelivery = isDeliveryId(id);
  if (isDelivery === (options.since !== undefined)) {
    throw new GazetteError('usage', 'give the id of a delivery, or an endpoint and --since');
  }
  const which = isDelivery ? { deliveryId: id } : { endpointId: id, since: readSince(options.since!) };
  await withEndpoints(options, async (endpoints) => {
    const replayed = await endpoints.replay(which);
    if (options.json === true) printJson({ replayed });
    else say(`${replayed} ${replayed === 1 ? 'delivery' : 'deliveries'} will be sent again`);
  });
}

/** Sends until the signal fires. */
export async function run(
  options: StoreOptions & SendingOptions & { readonly baseUrl: string },
  signal: AbortSignal,
): Promise<void> {
  await withStore(options, async (store) => {
    const sending = startSending(store, options.baseUrl, options);
    say('sending webhooks');
    await Promise.race([sending.done, signal.aborted ? undefined : once(signal, 'abort')]);
    await sending.stop();
  });
}

async function withEndpoints(
  options: WebhookOptions & DestinationOptions,
  use: (endpoints: Endpoints) => Promise<void>,
): Promise<void> {
  const given = { box: secretBox, rules: destinationRules(options), resolve: nameResolver(options).resolve };
  await withStore(options, (store) => use(new Endpoints(store.deliveries, given)));
}

function tellSecret({ endpoint, secret }: IssuedSecret, done: string, options: WebhookOptions): void {
  if (options.json === true) {
    printJson({ secret, ...toEndpointAnswer(endpoint) });
    return;
  }
  say(done);
  say('the secret is shown only this once');
  process.stdout.write(`${secret}\n`);
}

function tell(delivery: DeliveryAnswer, attempts: readonly AttemptAnswer[]): void {
  const { id, created_at, type, record_id, version, state, reason, next_attempt_at, last_attempt } = delivery;
  const what = record_id === null ? type : `${type} ${record_id} v${version ?? ''}`;
  const why = [reason, last_attempt === null ? null : statusOf(last_attempt)]
    .filter((text) => text !== null)
    .join(', ');
  const next = next_attempt_at === null ? '' : `  next ${next_attempt_at}`;
  process.stdout.write(`${id}  ${created_at}  ${what}  ${state}${why === '' ? '' : ` (${why})`}${next}\n`);
  for (const attempt of attempts) {
    process.stdout.write(`  ${attempt.at}  ${statusOf(attempt)}  ${attempt.duration_ms} ms\n`);
  }
}

function statusOf({ status, error }: AttemptAnswer): string {
  return status === null ? (error ?? 'no answer') : String(status);
}

function readSince(text: string): string {
  const start = startTime(text);
  if (start !== null) return start;
  throw new GazetteError(
    'usage',
    `--since must be a day or a date-time such as 2027-01-01T12:00:00Z, got ${quote(text)}`,
  );
}
