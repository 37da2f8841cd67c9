// `gazette webhook`: endpoints and deliveries of an account. A secret is printed once, alone, on standard output, and
// cannot be printed again.
import { EVENT_TYPES } from '../../webhooks/event.ts';
import { command, type UndescribedGroup, flag, JSON_OUTPUT, list, orNone, required, text, whole } from '../command.ts';
import { METRICS_OPTIONS, TELEMETRY_OPTIONS } from '../options/metrics.ts';
import { BASE_URL } from '../options/publication.ts';
import { DESTINATION_OPTIONS, SENDING_OPTIONS } from '../options/sending.ts';
import { STORE } from '../options/store.ts';
import type * as Actions from './webhook/actions.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

const FILTER =
  'send events of records that match, before or after, by the names of the HTTP parameters: document_type=adopted, q=asbestos, data.country=NL';
const STANDARD = 'send the headers of Standard Webhooks too';

const COMMON = { store: STORE, json: JSON_OUTPUT };

/** `gazette webhook`. */
export const webhookCommand: UndescribedGroup = {
  commands: {
    add: command({
      description:
        'Add an endpoint and print its signing secret, once. It receives events about what is committed from now on.',
      arguments: [['<account>'], ['<url>', 'where to send events: https, at a public address']],
      options: {
        ...COMMON,
        ...DESTINATION_OPTIONS,
        feed: list('<id>', 'send events of this register', 'all'),
        event: list('<type>', EVENT_TYPES.join(', '), 'all'),
        filter: list('<name=value>', FILTER, 'all records'),
        standardWebhooks: flag(STANDARD),
      },
      run: async ([account, url], options, { io }) => (await actions()).add(account, url, options, io),
    }),
    update: command({
      description: 'Change where the events of an endpoint go, or which. Its id and its secret stay.',
      arguments: [['<endpoint>']],
      options: {
        ...COMMON,
        ...DESTINATION_OPTIONS,
        url: text('<url>', 'send events to this address'),
        feed: list('<id>', 'send events of this register', 'as before'),
        allFeeds: flag('send events of all registers'),
        event: list('<type>', EVENT_TYPES.join(', '), 'as before'),
        allEvents: flag('send all types of event'),
        filter: list('<name=value>', FILTER, 'as before'),
        allRecords: flag('send events of all records: no filter'),
        standardWebhooks: orNone(flag(STANDARD), 'send the usual headers alone'),
      },
      run: async ([id], options, { io }) => (await actions()).update(id, options, io),
    }),
    remove: command({
      description: 'Remove an endpoint and its deliveries.',
      arguments: [['<endpoint>']],
      options: COMMON,
      run: async ([id], options, { io }) => (await actions()).remove(id, options, io),
    }),
    list: command({
      description: 'List endpoints.',
      arguments: [['[account]']],
      options: COMMON,
      run: async ([account], options, { io }) => (await actions()).list(account, options, io),
    }),
    test: command({
      description: 'Have the running sender send an event endpoint.test, or an invented one.',
      arguments: [['<endpoint>']],
      options: {
        ...COMMON,
        event: text('<type>', `send an event of this type, which says test: true: ${EVENT_TYPES.join(', ')}`),
      },
      run: async ([id], options, { io }) => (await actions()).test(id, options, io),
    }),
    disable: command({
      description: 'Disable an endpoint: its events are skipped.',
      arguments: [['<endpoint>']],
      options: COMMON,
      run: async ([id], options, { io }) => (await actions()).disable(id, options, io),
    }),
    enable: command({
      description: 'Enable an endpoint again.',
      arguments: [['<endpoint>']],
      options: COMMON,
      run: async ([id], options, { io }) => (await actions()).enable(id, options, io),
    }),
    'rotate-secret': command({
      description: 'Prepare a new signing secret and print it, once. With --activate, start using it.',
      arguments: [['<endpoint>']],
      options: {
        ...COMMON,
        activate: flag('sign with the prepared secret from now on'),
        grace: text(
          '<hours>',
          'with --activate: for so long, sign with the old secret too, by a second v1 (default: 0)',
        ),
      },
      run: async ([id], options, { io }) => (await actions()).rotate(id, options, io),
    }),
    rekey: command({
      description: 'Encrypt all signing secrets with the first key of GAZETTE_SECRETS_KEY=<new>,<old>.',
      arguments: [],
      options: COMMON,
      run: async (_, options, { io }) => (await actions()).rekey(options, io),
    }),
    deliveries: command({
      description: 'List the deliveries to an endpoint, newest first, or show one with its attempts.',
      arguments: [['<endpoint-or-delivery>']],
      options: {
        ...COMMON,
        limit: whole('how many to list', 1, MAX_LIMIT, DEFAULT_LIMIT),
        before: text('<delivery>', 'list only deliveries before this one'),
      },
      run: async ([id], options, { io }) => (await actions()).deliveries(id, options, io),
    }),
    replay: command({
      description: 'Send a delivery again, or deliveries to an endpoint.',
      arguments: [['<delivery-or-endpoint>']],
      options: {
        ...COMMON,
        since: text('<time>', 'for an endpoint: a day in UTC, or a date-time such as 2027-01-01T12:00:00Z'),
        failed: flag('for an endpoint: only deliveries that failed or were skipped'),
      },
      run: async ([id], options, { io }) => (await actions()).replay(id, options, io),
    }),
    run: command({
      description: 'Send webhooks until stopped. Other processes may send too.',
      arguments: [],
      options: {
        ...SENDING_OPTIONS,
        ...METRICS_OPTIONS,
        ...TELEMETRY_OPTIONS,
        store: STORE,
        baseUrl: required(BASE_URL),
      },
      async run(_, options, { io, signal }) {
        const { run: send } = await import('./webhook/run.ts');
        await send(options, io, signal);
      },
    }),
  },
};

/** They load modules that no other command needs. */
function actions(): Promise<typeof Actions> {
  return import('./webhook/actions.ts');
}
