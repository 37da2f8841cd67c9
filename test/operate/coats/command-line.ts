// The command line as a coat: every act is a run of `gazette`, on a store in a file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { gazette } from '../../cli/run.ts';
import {
  type AccountCoat,
  type CoatKind,
  type EndpointWish,
  type KeyWish,
  refused,
} from '../../contracts/account-coat.ts';
import { SECRETS_KEY } from '../../contracts/full-store.ts';

/** The command line. */
export const COMMAND_LINE: CoatKind = {
  name: 'the command line',
  codes: {},
  saysRule: true,
  isOperators: true,
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-coats-'));
    const path = join(folder, 'store.db');
    const store = SqliteStore.open(path);
    return {
      store,
      coatOf: async (accountId) => coatOf(path, accountId),
      dispose: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};

interface Made {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

function coatOf(path: string, account: string): AccountCoat {
  const run = async (...args: string[]): Promise<unknown> => {
    const options = ['--store', path, '--json'];
    const { code, stdout, stderr } = await gazette([...args, ...options], '', { GAZETTE_SECRETS_KEY: SECRETS_KEY });
    if (code === 0) return JSON.parse(stdout.toString());
    const [, said = stderr, refusal = 'none'] = /gazette: (.*) \((\w+)\)\n$/.exec(stderr) ?? [];
    throw refused(refusal, said);
  };
  const key = (command: string, ...args: string[]): Promise<unknown> => run('key', command, account, ...args);
  const webhook = (command: string, ...args: string[]): Promise<unknown> => run('webhook', command, ...args);
  const made = async (running: Promise<unknown>): Promise<Made> => (await running) as Made;
  const ids = async (running: Promise<unknown>): Promise<readonly string[]> =>
    ((await running) as readonly Made[]).map(({ id }) => id);
  return {
    createKey: async (wish, expires) =>
      (await made(key('create', ...grants(wish), ...(expires === undefined ? [] : ['--until', expires])))).key,
    updateKey: (id, wish) => key('update', id, ...grants(wish)),
    rotateKey: async (id, hours) =>
      (await made(key('rotate', id, ...(hours === undefined ? [] : ['--grace', String(hours)])))).key,
    revokeKey: (id) => key('revoke', id, '--yes'),
    keyIds: () => ids(key('list')),
    addEndpoint: async ({ url, ...wish }) => (await made(webhook('add', account, url, ...subscription(wish)))).secret,
    updateEndpoint: (id, wish) => webhook('update', id, ...subscription(wish)),
    setEnabled: (id, isEnabled) => webhook(isEnabled ? 'enable' : 'disable', id),
    removeEndpoint: (id) => webhook('remove', id),
    testEndpoint: (id) => webhook('test', id),
    prepareSecret: async (id) => (await made(webhook('rotate-secret', id))).secret,
    activateSecret: (id, hours) => webhook('rotate-secret', id, '--activate', '--grace', String(hours)),
    endpointIds: () => ids(webhook('list', account)),
    deliveryIds: (endpointId) => ids(webhook('deliveries', endpointId)),
    statuses: async (id) => {
      const { all_attempts: all } = (await webhook('deliveries', id)) as {
        readonly all_attempts: { status: number }[];
      };
      return all.map(({ status }) => status);
    },
    replayDelivery: (id) => webhook('replay', id),
    replayMissed: (id, since) => webhook('replay', id, '--failed', ...(since === undefined ? [] : ['--since', since])),
  };
}

function grants({ name, scopes = [], feeds, limit, budget, perDay }: KeyWish): string[] {
  return [
    ...(name === undefined ? [] : name === null ? ['--no-name'] : ['--name', name]),
    ...scopes.flatMap((scope) => ['--scope', scope]),
    ...(feeds === null ? ['--all-feeds'] : (feeds ?? []).flatMap((feed) => ['--feed', feed])),
    ...(limit === undefined ? [] : ['--limit', limit ?? 'none']),
    ...(budget === undefined ? [] : budget === null ? ['--no-budget'] : ['--budget', String(budget)]),
    ...(perDay === undefined ? [] : ['--per-day', perDay === null ? 'none' : String(perDay)]),
  ];
}

function subscription({ url, feeds, types, filters, isStandard }: EndpointWish): string[] {
  const pairs =
    filters && Object.entries(filters).flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
  const list = (option: string, all: string, values: readonly string[] | undefined): string[] =>
    values?.length === 0 ? [all] : (values ?? []).flatMap((value) => [option, value]);
  return [
    ...(url === undefined ? [] : ['--url', url]),
    ...list('--feed', '--all-feeds', feeds),
    ...list('--event', '--all-events', types),
    ...list('--filter', '--all-records', pairs),
    ...(isStandard === undefined ? [] : [isStandard ? '--standard-webhooks' : '--no-standard-webhooks']),
  ];
}
