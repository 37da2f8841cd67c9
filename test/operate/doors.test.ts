// What the command line refuses, the functions of the library refuse as well, with the same code, and nothing is written.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { Endpoints } from '../../src/operate/endpoints.ts';
import { Ledger } from '../../src/wings/selling/operate/ledger.ts';
import { defineNew, Registers } from '../../src/operate/registers.ts';
import { importRecords } from '../../src/import/importer.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { at } from '../contracts/store-register.ts';
import { folder, gazette } from '../cli/run.ts';
import { source } from '../import/sources.ts';
import { ledgerOf } from '../wings/selling/ledger-of.ts';

const SECRETS_KEY = 'ab'.repeat(32);

/** The store of the tests, opened, and its parts as programs use them. */
interface Doors {
  readonly store: SqliteStore;
  readonly registers: Registers;
  readonly accounts: Accounts;
  readonly endpoints: Endpoints;
  readonly ledger: Ledger;
  readonly keyId: string;
  readonly endpointId: string;
}

/** A store with the register `r`, a record, the account `acme`, a key and an endpoint. */
async function makeStore(path: string): Promise<Doors> {
  const store = SqliteStore.open(path);
  const doors = openDoors(store);
  await store.createRegister(defineNew('r', { members: { title: 'R', fields: [FIELD] } }, Date.parse(at(0))));
  await take(store, {});
  await doors.accounts.add('acme', '2999-01-01');
  const { entry } = await doors.accounts.createKey('acme');
  const { endpoint } = await doors.endpoints.add({ accountId: 'acme', url: 'https://8.8.8.8/hook' });
  return { ...doors, keyId: entry.id, endpointId: endpoint.id };
}

function openDoors(store: SqliteStore): Omit<Doors, 'keyId' | 'endpointId'> {
  return {
    store,
    registers: new Registers(store),
    accounts: new Accounts(store, { product: 'gazette' }),
    endpoints: new Endpoints(store, { box: () => SecretBox.fromHex(SECRETS_KEY) }),
    ledger: new Ledger(ledgerOf(store)),
  };
}

const FIELD = { name: 'area', label: 'Area', type: 'number' } as const;
const RECORD = JSON.stringify({ id: '1', title: 'T', source_url: 'https://example.org/', area: 5 });

const take = (store: SqliteStore, options: object) =>
  importRecords(store, 'r', ndjsonReader(source(RECORD, 1000, 'r.ndjson')), options);

/** A value that the types refuse: programs without types send such, too. */
const wrong = (value: unknown): never => value as never;

/** A definition of a register with these members. */
const defined = (id: string, members: object) =>
  wrong({ ...defineNew('x', { members: { title: 'X' } }), id, ...members });

const key = (change: object) => ({ ...NEW_KEY, ...change });
const NEW_KEY = {
  ...{ id: 'key_1', accountId: 'acme', product: 'gazette', digest: new Uint8Array(32), lastFour: 'abcd' },
  createdAt: at(1),
};

const endpoint = (change: object) => ({
  ...{ id: `ep_${'0'.repeat(18)}`, accountId: 'acme', url: 'https://8.8.8.8/', feeds: null, types: null, filter: null },
  ...{ createdAt: at(1), secret: new Uint8Array(60), ...change },
});

const credit = (change: object) => ({
  ...{ accountId: 'acme', price: { amount: 100, currency: 'EUR' }, reference: null, reason: null, ...change },
});

/** What the command line is told, with the members of a definition file at its end if there are any. */
interface Case {
  readonly code: string;
  readonly command: readonly string[];
  readonly definition?: object;
  /** The same said to functions, by their names. */
  readonly doors: Readonly<Record<string, (doors: Doors) => Promise<unknown>>>;
}

const members = (code: string, definition: object): Case => ({
  ...{ code, definition, command: ['register', 'add', 'x'] },
  doors: {
    createRegister: ({ store }) => store.createRegister(defined('x', definition)),
    updateRegister: ({ store }) => store.updateRegister(defined('r', definition), { recordedAt: at(2) }),
    'Registers.add': ({ registers }) => registers.add(defined('x', definition)),
    'Registers.update': ({ registers }) => registers.update('r', { members: definition }),
  },
});

const CASES: Readonly<Record<string, Case>> = {
  'a field of a bad name': members('invalid_definition', { fields: [{ ...FIELD, name: 'Bad Name' }] }),
  'a field without a label': members('invalid_definition', { fields: [{ name: 'area', label: '', type: 'number' }] }),
  'a field of no type': members('invalid_definition', { fields: [{ ...FIELD, type: 'colour' }] }),
  'two fields of one name': members('invalid_definition', { fields: [FIELD, FIELD] }),
  'a title that is empty': members('invalid_definition', { title: '' }),
  'a language that is none': members('invalid_definition', { language: '!' }),
  'a homepage that is none': members('invalid_definition', { homepage: 'javascript:1' }),
  'a time that is none': members('invalid_definition', { created_at: 'yesterday' }),
  'an unknown member': members('invalid_definition', { colour: 'red' }),
  'prices without a currency': members('invalid_definition', { prices: { currency: 'EURO', per_record: 2 } }),
  'prices that are none': members('invalid_definition', { prices: { currency: 'EUR', per_record: -2 } }),
  'prices of an open register': members('invalid_definition', {
    ...{ access: 'open', prices: { currency: 'EUR', per_record: 2 } },
  }),
  'an id that is none': {
    ...{ code: 'invalid_definition', command: ['register', 'add', 'Bad Id', '--title', 'T'] },
    doors: {
      createRegister: ({ store }) => store.createRegister(defined('Bad Id', {})),
      'Registers.add': ({ registers }) => registers.add(defined('Bad Id', {})),
    },
  },
  'another type of a field that has values': {
    ...{ code: 'invalid_definition', command: ['register', 'update', 'r'] },
    definition: { title: 'R', fields: [{ ...FIELD, type: 'date' }] },
    doors: {
      'Registers.update': ({ registers }) => {
        return registers.update('r', { members: { fields: [{ ...FIELD, type: 'date' }] } });
      },
      'Registers.retype': ({ registers }) => registers.retype('r', new Map([['area', 'date']])),
    },
  },
  'a new type that is none': {
    ...{ code: 'invalid_option', command: ['register', 'retype', 'r', 'area=colour'] },
    doors: { 'Registers.retype': ({ registers }) => registers.retype('r', new Map([['area', wrong('colour')]])) },
  },
  'a new name that is none': {
    ...{ code: 'invalid_definition', command: ['register', 'rename-field', 'r', 'area=Bad Name'] },
    doors: { 'Registers.renameField': ({ registers }) => registers.renameField('r', 'area', 'Bad Name') },
  },
  'an order that is none': {
    ...{ code: 'invalid_option', command: ['import', 'r', '-', '--format', 'ndjson', '--order', 'sideways'] },
    doors: {
      createRegister: ({ store }) => store.createRegister(defined('x', {}), { order: wrong('sideways') }),
      importRecords: ({ store }) => take(store, { order: 'sideways' }),
    },
  },
  'a cause that is none': {
    ...{ code: 'invalid_option', command: ['import', 'r', '-', '--format', 'ndjson', '--cause', 'because'] },
    doors: {
      apply: ({ store }) => store.apply('r', [], { recordedAt: at(2), cause: wrong('because') }),
      importRecords: ({ store }) => take(store, { cause: 'because' }),
    },
  },
  'a finding that is none': {
    ...{ code: 'invalid_option', command: ['import', 'r', '-', '--format', 'ndjson', '--accept', 'all'] },
    doors: { importRecords: ({ store }) => take(store, { accept: ['all'] }) },
  },
  'a type of a column that is none': {
    ...{ code: 'invalid_option', command: ['import', 'r', '-', '--format', 'ndjson', '--type', 'area=colour'] },
    doors: { importRecords: ({ store }) => take(store, { types: new Map([['area', 'colour']]) }) },
  },
  'a form of dates that is none': {
    ...{ code: 'invalid_option', command: ['import', 'r', '-', '--format', 'ndjson', '--date-format', 'DD'] },
    doors: { importRecords: ({ store }) => take(store, { dateFormat: 'DD' }) },
  },
  'an account of a bad id': {
    ...{ code: 'invalid_option', command: ['account', 'add', 'Bad Id'] },
    doors: {
      createAccount: ({ store }) => store.accounts.createAccount({ id: 'Bad Id', accessUntil: null, createdAt: at(1) }),
      'Accounts.add': ({ accounts }) => accounts.add('Bad Id', null),
    },
  },
  'an end of access that is none': {
    ...{ code: 'invalid_option', command: ['account', 'extend', 'acme', '--until', 'soon'] },
    doors: {
      updateAccount: ({ store }) => store.accounts.updateAccount('acme', { accessUntil: 'soon' }),
      'Accounts.extend': ({ accounts }) => accounts.extend('acme', 'soon'),
      'Accounts.add': ({ accounts }) => accounts.add('other', 'soon'),
    },
  },
  'a limit that is none': {
    ...{ code: 'invalid_option', command: ['account', 'update', 'acme', '--limit', '0/60'] },
    doors: {
      updateAccount: ({ store }) => store.accounts.updateAccount('acme', { limit: { limit: 0, windowSeconds: 60 } }),
      'Accounts.update': ({ accounts }) => accounts.update('acme', { limit: { limit: 0, windowSeconds: 60 } }),
    },
  },
  'an address of mail that is none': {
    ...{ code: 'invalid_option', command: ['account', 'update', 'acme', '--email', 'nobody'] },
    doors: {
      updateAccount: ({ store }) => store.accounts.updateAccount('acme', { email: 'nobody' }),
      'Accounts.update': ({ accounts }) => accounts.update('acme', { email: 'nobody' }),
    },
  },
  'a scope that is none': {
    ...{ code: 'invalid_option', command: ['key', 'create', 'acme', '--scope', 'write'] },
    doors: {
      createKey: ({ store }) => store.accounts.createKey(key({ scopes: ['write'] })),
      updateKey: ({ store, keyId }) => store.accounts.updateKey(key({ id: keyId }), { scopes: [wrong('write')] }),
      'Accounts.createKey': ({ accounts }) => accounts.createKey('acme', { scopes: [wrong('write')] }),
    },
  },
  'a name of a key that is none': {
    ...{ code: 'invalid_option', command: ['key', 'create', 'acme', '--name', 'two\nlines'] },
    doors: {
      createKey: ({ store }) => store.accounts.createKey(key({ name: 'two\nlines' })),
      updateKey: ({ store, keyId }) => store.accounts.updateKey(key({ id: keyId }), { name: 'two\nlines' }),
      'Accounts.createKey': ({ accounts }) => accounts.createKey('acme', { name: 'two\nlines' }),
    },
  },
  'a key for no register': {
    ...{ code: 'unknown_feed', command: ['key', 'create', 'acme', '--feed', 'nothing'] },
    doors: {
      createKey: ({ store }) => store.accounts.createKey(key({ feeds: ['nothing'] })),
      updateKey: ({ store, keyId }) => store.accounts.updateKey(key({ id: keyId }), { feeds: ['nothing'] }),
      'Accounts.createKey': ({ accounts }) => accounts.createKey('acme', { feeds: ['nothing'] }),
    },
  },
  'a budget that is none': {
    ...{ code: 'invalid_option', command: ['key', 'create', 'acme', '--budget', '0'] },
    doors: {
      createKey: ({ store }) => store.accounts.createKey(key({ budget: { budget: 0 } })),
      updateKey: ({ store, keyId }) => store.accounts.updateKey(key({ id: keyId }), { budget: { budget: 0 } }),
      'Accounts.createKey': ({ accounts }) => accounts.createKey('acme', { budget: { budget: 0 } }),
    },
  },
  'a product that is none': {
    ...{ code: 'invalid_option', command: ['key', 'create', 'acme', '--product', 'a b'] },
    doors: {
      createKey: ({ store }) => store.accounts.createKey(key({ product: 'a b' })),
      Accounts: async ({ store }) => Promise.resolve(new Accounts(store, { product: 'a b' })),
    },
  },
  'an event that is none': {
    ...{ code: 'invalid_option', command: ['webhook', 'add', 'acme', 'https://8.8.8.8/', '--event', 'record.read'] },
    doors: {
      createEndpoint: ({ store }) => store.deliveries.createEndpoint(endpoint({ types: ['record.read'] })),
      updateEndpoint: ({ store, endpointId }) => {
        return store.deliveries.updateEndpoint(endpointId, { types: ['record.read'] });
      },
      'Endpoints.add': ({ endpoints }) => {
        return endpoints.add({ accountId: 'acme', url: 'https://8.8.8.8/', types: ['record.read'] });
      },
    },
  },
  'an address of events that is none': {
    ...{ code: 'destination_refused', command: ['webhook', 'add', 'acme', 'javascript:1'] },
    doors: {
      createEndpoint: ({ store }) => store.deliveries.createEndpoint(endpoint({ url: 'javascript:1' })),
      updateEndpoint: ({ store, endpointId }) => {
        return store.deliveries.updateEndpoint(endpointId, { url: 'javascript:1' });
      },
      'Endpoints.add': ({ endpoints }) => endpoints.add({ accountId: 'acme', url: 'javascript:1' }),
      'Endpoints.update': ({ endpoints, endpointId }) => endpoints.update(endpointId, { url: 'javascript:1' }),
    },
  },
  'a filter that is none': {
    ...{ code: 'invalid_option', command: ['webhook', 'add', 'acme', 'https://8.8.8.8/', '--filter', 'colour=red'] },
    doors: {
      createEndpoint: ({ store }) => store.deliveries.createEndpoint(endpoint({ filter: { colour: ['red'] } })),
      updateEndpoint: ({ store, endpointId }) => {
        return store.deliveries.updateEndpoint(endpointId, { filter: { colour: ['red'] } });
      },
      'Endpoints.update': ({ endpoints, endpointId }) => {
        return endpoints.update(endpointId, { filters: { colour: ['red'] } });
      },
    },
  },
  'a time of replaying that is none': {
    ...{ code: 'invalid_option', command: ['webhook', 'replay', 'ENDPOINT', '--since', 'soon'] },
    doors: {
      replay: ({ store, endpointId }) => store.deliveries.replay({ endpointId, since: 'soon' }, { at: at(2) }),
      'Endpoints.replay': ({ endpoints, endpointId }) => endpoints.replay({ endpointId, since: 'soon' }),
    },
  },
  'an amount that is none': {
    ...{ code: 'invalid_option', command: ['account', 'credit', 'acme', '0', '--currency', 'EUR'] },
    doors: {
      grantCredit: ({ store }) => ledgerOf(store).grantCredit(credit({ price: { amount: 0, currency: 'EUR' } })),
      'Ledger.credit': ({ ledger }) => ledger.credit(credit({ price: { amount: 0, currency: 'EUR' } })),
    },
  },
  'a currency that is none': {
    ...{ code: 'invalid_option', command: ['account', 'credit', 'acme', '5', '--currency', 'euros'] },
    doors: {
      grantCredit: ({ store }) => ledgerOf(store).grantCredit(credit({ price: { amount: 5, currency: 'euros' } })),
      'Ledger.credit': ({ ledger }) => ledger.credit(credit({ price: { amount: 5, currency: 'euros' } })),
    },
  },
  'a reference that is too long': {
    ...{
      code: 'invalid_option',
      command: ['account', 'credit', 'acme', '5', '--currency', 'EUR', '--reference', 'x'.repeat(2000)],
    },
    doors: {
      grantCredit: ({ store }) => ledgerOf(store).grantCredit(credit({ reference: 'x'.repeat(2000) })),
      'Ledger.credit': ({ ledger }) => ledger.credit(credit({ reference: 'x'.repeat(2000) })),
    },
  },
};

/** The rows of what people decide. */
function decided(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = ['registers', 'accounts', 'api_keys', 'webhook_endpoints', 'ledger', 'versions', 'leases'];
    return tables.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()]);
  } finally {
    db.close();
  }
}

describe('what the command line refuses', () => {
  it.each(Object.entries(CASES))(
    'as %s, the library refuses with the same code',
    async (_, { code, command, definition, doors }) => {
      const place = await folder();
      const path = join(place, 'store.db');
      const made = await makeStore(path);
      const before = decided(path);
      const file = join(place, 'definition.json');
      await writeFile(file, JSON.stringify({ title: 'X', ...definition }));
      const words = command.map((word) => (word === 'ENDPOINT' ? made.endpointId : word));
      const args = [...words, ...(definition === undefined ? [] : ['--definition', file]), '--store', path];
      const { stderr } = await gazette(args, RECORD, { GAZETTE_SECRETS_KEY: SECRETS_KEY });
      // An option that has a list of words is refused before the command runs.
      expect(/\((\w+)\)\n$/.exec(stderr)?.[1]?.replace(/^usage$/, 'invalid_option'), stderr).toBe(code);
      for (const [name, door] of Object.entries(doors)) {
        const answer = await door(made).then(
          () => 'accepted',
          (error: unknown) => (error as { readonly code?: unknown }).code,
        );
        expect.soft([name, answer]).toEqual([name, code]);
      }
      expect.soft(decided(path)).toEqual(before);
      await made.store.close();
    },
  );
});
