// `gazette webhook`: endpoints and deliveries of an account. A secret is printed once, alone, on standard output, and
// cannot be printed again.
import { type Command, InvalidArgumentError } from 'commander';
import { EVENT_TYPES } from '../../webhooks/event.ts';
import { repeatable } from '../options/collect.ts';
import { addMetricsOptions, addTelemetryOption } from '../options/metrics.ts';
import { addDestinationOptions, addSendingOptions } from '../options/sending.ts';
import { baseUrlOption } from '../options/publication.ts';
import { storeOption } from '../options/store.ts';
import type * as Actions from './webhook/actions.ts';
import type { RunOptions } from './webhook/run.ts';
import type { Io } from '../io/io.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

const FILTER =
  'send events of records that match, before or after, by the names of the HTTP parameters: document_type=adopted, q=asbestos, data.country=NL';
const STANDARD = 'send the headers of Standard Webhooks too';

/** Adds `gazette webhook` and its subcommands to the program. */
export function addWebhook(program: Command, io: Io, signal: AbortSignal): void {
  const webhook = program.command('webhook').description('Manage webhooks: where events go, and what became of each.');
  const one = (name: string, description: string, argument?: string): Command => {
    const command = webhook.command(name).description(description);
    if (argument !== undefined) command.argument(argument);
    return command.addOption(storeOption()).option('--json', 'print the result as JSON');
  };
  addDestinationOptions(
    one(
      'add',
      'Add an endpoint and print its signing secret, once. It receives events about what is committed from now on.',
      '<account>',
    ),
  )
    .argument('<url>', 'where to send events: https, at a public address')
    .addOption(repeatable('--feed <id>', 'send events of this register', 'all'))
    .addOption(repeatable('--event <type>', EVENT_TYPES.join(', '), 'all'))
    .addOption(repeatable('--filter <name=value>', FILTER, 'all records'))
    .option('--standard-webhooks', STANDARD)
    .action(async (account: string, url: string, options: Actions.AddOptions) =>
      (await actions()).add(account, url, options, io),
    );
  addDestinationOptions(
    one('update', 'Change where the events of an endpoint go, or which. Its id and its secret stay.', '<endpoint>'),
  )
    .option('--url <url>', 'send events to this address')
    .addOption(repeatable('--feed <id>', 'send events of this register', 'as before'))
    .option('--all-feeds', 'send events of all registers')
    .addOption(repeatable('--event <type>', EVENT_TYPES.join(', '), 'as before'))
    .option('--all-events', 'send all types of event')
    .addOption(repeatable('--filter <name=value>', FILTER, 'as before'))
    .option('--all-records', 'send events of all records: no filter')
    .option('--standard-webhooks', STANDARD)
    .option('--no-standard-webhooks', 'send the usual headers alone')
    .action(async (id: string, options: Actions.UpdateOptions) => (await actions()).update(id, options, io));
  one('remove', 'Remove an endpoint and its deliveries.', '<endpoint>').action(
    async (id: string, options: Actions.WebhookOptions) => (await actions()).remove(id, options, io),
  );
  one('list', 'List endpoints.', '[account]').action(
    async (account: string | undefined, options: Actions.WebhookOptions) =>
      (await actions()).list(account, options, io),
  );
  one('test', 'Have the running sender send an event endpoint.test, or an invented one.', '<endpoint>')
    .option('--event <type>', `send an event of this type, which says test: true: ${EVENT_TYPES.join(', ')}`)
    .action(async (id: string, options: Actions.WebhookOptions & { event?: string }) =>
      (await actions()).test(id, options, io),
    );
  one('disable', 'Disable an endpoint: its events are skipped.', '<endpoint>').action(
    async (id: string, options: Actions.WebhookOptions) => (await actions()).disable(id, options, io),
  );
  one('enable', 'Enable an endpoint again.', '<endpoint>').action(async (id: string, options: Actions.WebhookOptions) =>
    (await actions()).enable(id, options, io),
  );
  one(
    'rotate-secret',
    'Prepare a new signing secret and print it, once. With --activate, start using it.',
    '<endpoint>',
  )
    .option('--activate', 'sign with the prepared secret from now on')
    .option(
      '--grace <hours>',
      'with --activate: for so long, sign with the old secret too, by a second v1 (default: 0)',
    )
    .action(async (id: string, options: Actions.RotateOptions) => (await actions()).rotate(id, options, io));
  webhook
    .command('rekey')
    .description('Encrypt all signing secrets with the first key of GAZETTE_SECRETS_KEY=<new>,<old>.')
    .addOption(storeOption())
    .option('--json', 'print the result as JSON')
    .action(async (options: Actions.WebhookOptions) => (await actions()).rekey(options, io));
  one(
    'deliveries',
    'List the deliveries to an endpoint, newest first, or show one with its attempts.',
    '<endpoint-or-delivery>',
  )
    .option('--limit <number>', 'how many to list', readLimit, DEFAULT_LIMIT)
    .option('--before <delivery>', 'list only deliveries before this one')
    .action(async (id: string, options: Actions.DeliveriesOptions) => (await actions()).deliveries(id, options, io));
  one('replay', 'Send a delivery again, or deliveries to an endpoint.', '<delivery-or-endpoint>')
    .option('--since <time>', 'for an endpoint: a day in UTC, or a date-time such as 2027-01-01T12:00:00Z')
    .option('--failed', 'for an endpoint: only deliveries that failed or were skipped')
    .action(async (id: string, options: Actions.ReplayOptions) => (await actions()).replay(id, options, io));
  const run = webhook.command('run').description('Send webhooks until stopped. Other processes may send too.');
  addTelemetryOption(addMetricsOptions(addSendingOptions(run)))
    .addOption(storeOption())
    .addOption(baseUrlOption().makeOptionMandatory())
    .action(async (options: RunOptions) => {
      const { run: send } = await import('./webhook/run.ts');
      await send(options, io, signal);
    });
}

/** They load modules that no other command needs. */
function actions(): Promise<typeof Actions> {
  return import('./webhook/actions.ts');
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}
