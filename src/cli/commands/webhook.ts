// `gazette webhook`: where an account's events go, and what became of each. A secret is printed once, alone, on standard
// output; nothing can print it again.
import { type Command, InvalidArgumentError } from 'commander';
import { RECORD_EVENT_TYPES } from '../../webhooks/event.ts';
import { collect } from '../options/collect.ts';
import { addSendingOptions, destinationOption, type SendingOptions } from '../options/sending.ts';
import { storeOption, type StoreOptions } from '../options/store.ts';
import type * as Actions from './webhook/actions.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

/** Adds `gazette webhook` and its subcommands to the program. */
export function addWebhook(program: Command, signal: AbortSignal): void {
  const webhook = program.command('webhook').description('Says where events go, and what became of each.');
  const one = (name: string, description: string, argument?: string): Command => {
    const command = webhook.command(name).description(description);
    if (argument !== undefined) command.argument(argument);
    return command.addOption(storeOption()).option('--json', 'print the answer as JSON');
  };
  one(
    'add',
    'Adds an endpoint and prints its signing secret, once. It hears of what is committed from now on.',
    '<account>',
  )
    .argument('<url>', 'https, at a public address')
    .option('--feed <id>', 'a register it hears of; repeatable (default: all)', collect, [])
    .option('--event <type>', `${RECORD_EVENT_TYPES.join(', ')}; repeatable (default: all)`, collect, [])
    .addOption(destinationOption())
    .action(async (account: string, url: string, options: Actions.AddOptions) =>
      (await actions()).add(account, url, options),
    );
  one('list', 'Lists endpoints.', '[account]').action(
    async (account: string | undefined, options: Actions.WebhookOptions) => (await actions()).list(account, options),
  );
  one('test', 'Sends an event endpoint.test, by the sender that runs.', '<endpoint>').action(
    async (id: string, options: Actions.WebhookOptions) => (await actions()).test(id, options),
  );
  one('disable', 'Stops an endpoint: events are skipped.', '<endpoint>').action(
    async (id: string, options: Actions.WebhookOptions) => (await actions()).disable(id, options),
  );
  one('enable', 'Lets an endpoint go on.', '<endpoint>').action(async (id: string, options: Actions.WebhookOptions) =>
    (await actions()).enable(id, options),
  );
  one('rotate-secret', 'Prepares a new signing secret and prints it, once; then activates it.', '<endpoint>')
    .option('--activate', 'sign with the prepared secret from now on')
    .action(async (id: string, options: Actions.WebhookOptions & { activate?: true }) =>
      (await actions()).rotate(id, options),
    );
  one(
    'deliveries',
    'Lists an endpoint’s deliveries, newest first, or shows one with its attempts.',
    '<endpoint-or-delivery>',
  )
    .option('--limit <number>', 'how many', readLimit, DEFAULT_LIMIT)
    .option('--before <delivery>', 'only those before this one')
    .action(async (id: string, options: Actions.DeliveriesOptions) => (await actions()).deliveries(id, options));
  one('replay', 'Sends a delivery again, or all of an endpoint since a time.', '<delivery-or-endpoint>')
    .option('--since <time>', 'of an endpoint: a day in UTC, or a date-time such as 2027-01-01T12:00:00Z')
    .action(async (id: string, options: Actions.WebhookOptions & { since?: string }) =>
      (await actions()).replay(id, options),
    );
  addSendingOptions(webhook.command('run').description('Sends webhooks until it is stopped, beside other processes.'))
    .addOption(storeOption())
    .requiredOption('--base-url <url>', 'the public address of the service, which events name')
    .action(async (options: StoreOptions & SendingOptions & { baseUrl: string }) =>
      (await actions()).run(options, signal),
    );
}

/** They bring what sends: no other command needs it. */
function actions(): Promise<typeof Actions> {
  return import('./webhook/actions.ts');
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}
