// `gazette key`: an account's keys. A key is printed once, alone, on standard output, and cannot be printed again.
import { Accounts, DEFAULT_GRACE_MS } from '../../operate/accounts.ts';
import { type KeyAnswer, toKeyAnswer } from '../../operate/answers.ts';
import { GazetteError, quote } from '../../errors.ts';
import { parsePrice } from '../../money.ts';
import type { ApiKeyEntry, KeyChange, KeyScope } from '../../stores/contract/accounts.ts';
import { DEFAULT_SCOPES, KEY_SCOPES } from '../../stores/rows/keys.ts';
import {
  command,
  type UndescribedGroup,
  flag,
  flagsOf,
  JSON_OUTPUT,
  list,
  orNone,
  text,
  type ValuesOf,
  YES,
} from '../command.ts';
import { canAsk, confirm } from '../io/confirm.ts';
import { printJson, say } from '../io/say.ts';
import { parseRate } from '../../web/rate-limit.ts';
import { HOUR_MS } from '../../operate/times.ts';
import { PRODUCT, readGrace } from '../options/keys.ts';
import { STORE, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** The text for `--limit`. */
const LIMIT = 'how much it may request, such as 600/60';

/** The text for `--scope`. */
const SCOPE = `what it is for: ${KEY_SCOPES.join(', ')}`;

/** The texts for `--budget`, `--per-day` and `--max-price`. */
const BUDGET = 'it pays for what it reads, from the account’s credit: so much altogether, in cents';
const PER_DAY = 'so much of its budget on one day, in UTC';
const MAX_PRICE = 'so much for one record, such as "2.00 EUR"';

const COMMON = { store: STORE, product: PRODUCT, json: JSON_OUTPUT };

type KeyOptions = ValuesOf<typeof COMMON>;

const NAME = text('<text>', 'what its owner calls it');

const CREATE_OPTIONS = {
  ...COMMON,
  name: NAME,
  scope: list('<scope>', SCOPE, DEFAULT_SCOPES.join(', ')),
  feed: list('<id>', 'it opens this register', 'all'),
  limit: text('<requests/seconds>', LIMIT),
  until: text('<date>', 'until when it works: a day in UTC, or a date-time (default: as long as its account)'),
  expires: { ...text('<date>', 'the same as --until'), conflicts: 'until' },
  budget: text('<amount>', BUDGET),
  perDay: text('<amount>', PER_DAY),
  maxPrice: text('<price>', MAX_PRICE),
};

const UPDATE_OPTIONS = {
  ...COMMON,
  name: orNone(NAME, 'take its name away'),
  scope: list('<scope>', SCOPE, 'as before'),
  feed: list('<id>', 'it opens this register', 'as before'),
  allFeeds: flag('it opens all registers'),
  limit: text('<requests/seconds>', `${LIMIT}; none: as much as any key`),
  budget: orNone(text('<amount>', `${BUDGET}, of which it has spent some already`), 'it pays for nothing by reading'),
  perDay: text('<amount>', `${PER_DAY}; none: as much as is left`),
  maxPrice: text('<price>', `${MAX_PRICE}; none: as much as is left`),
};

type UpdateOptions = ValuesOf<typeof UPDATE_OPTIONS>;

/** `gazette key`. */
export const keyCommand: UndescribedGroup = {
  commands: {
    create: command({
      description: 'Create a key and print it, once.',
      arguments: [['<account>']],
      options: CREATE_OPTIONS,
      run: ([account], options, { io }) => create(account, options, io),
    }),
    update: command({
      description: 'Change the name of a key, or what it may do. The key itself stays.',
      arguments: [['<account>'], ['[key_id]', 'the key to change (default: the only active one)']],
      options: UPDATE_OPTIONS,
      run: ([account, keyId], options, { io }) => update(account, keyId ?? null, options, io),
    }),
    rotate: command({
      description: 'Create a key that replaces another one, and print it, once. The old key keeps working for a while.',
      arguments: [['<account>'], ['[key_id]', 'the key to replace (default: the only active one)']],
      options: {
        ...COMMON,
        grace: text(
          '<hours>',
          'how long the old key keeps working; 0 ends it at once',
          String(DEFAULT_GRACE_MS / HOUR_MS),
        ),
      },
      run: ([account, keyId], options, { io }) => rotate(account, keyId ?? null, options, io),
    }),
    revoke: command({
      description: 'End a key at once and permanently.',
      arguments: [['<account>'], ['[key_id]', 'the key to revoke (default: the only active one)']],
      options: { ...COMMON, yes: YES },
      run: ([account, keyId], options, { io }) => revoke(account, keyId ?? null, options, io),
    }),
    list: command({
      description: 'List the keys of an account, for all products.',
      arguments: [['<account>']],
      options: COMMON,
      run: ([account], options, { io }) => listKeys(account, options, io),
    }),
  },
};

function grantsIn({ name, scope, feed, limit }: Pick<UpdateOptions, 'name' | 'scope' | 'feed' | 'limit'>): KeyChange {
  return {
    ...(name === undefined ? {} : { name: name === false ? null : name }),
    // The store names those that there are.
    ...(scope.length === 0 ? {} : { scopes: scope as readonly KeyScope[] }),
    ...(feed.length === 0 ? {} : { feeds: feed }),
    ...(limit === undefined ? {} : { limit: limit === 'none' ? null : parseRate('limit', limit) }),
  };
}

async function update(account: string, keyId: string | null, options: UpdateOptions, io: Io): Promise<void> {
  if (options.allFeeds === true && options.feed.length > 0) {
    throw new GazetteError('usage', 'give --feed or --all-feeds, not both');
  }
  const change = {
    ...grantsIn(options),
    ...(options.allFeeds === true ? { feeds: null } : {}),
    ...budgetIn(options),
  };
  if (Object.keys(change).length === 0) {
    throw new GazetteError('usage', `give what to change: ${flagsOf(UPDATE_OPTIONS, COMMON)}`);
  }
  await withAccounts(options, io, async (accounts) => {
    const entry = await accounts.updateKey(account, keyId, change);
    if (options.json === true) printJson(io, toAnswer(accounts, entry));
    else say(io, `changed ${entry.id} of account ${account}; the key itself stays`);
  });
}

/** What is asked for of a budget. */
function budgetIn({ budget, perDay, maxPrice }: BudgetOptions): Pick<KeyChange, 'budget'> {
  if (budget === false) {
    const bound = perDay !== undefined ? '--per-day' : maxPrice !== undefined ? '--max-price' : null;
    if (bound !== null) throw new GazetteError('usage', `give ${bound} or --no-budget, not both`);
    return { budget: null };
  }
  const asked = {
    ...(budget === undefined ? {} : { budget: amountIn('--budget', budget) }),
    ...(perDay === undefined ? {} : { perDay: perDay === 'none' ? null : amountIn('--per-day', perDay) }),
    ...(maxPrice === undefined ? {} : { maxPrice: maxPrice === 'none' ? null : parsePrice('max_price', maxPrice) }),
  };
  return Object.keys(asked).length === 0 ? {} : { budget: asked };
}

/** The options of a budget. */
type BudgetOptions = Pick<UpdateOptions, 'budget' | 'perDay' | 'maxPrice'>;

/** Digits as a number, which the rules check. @throws GazetteError `usage` */
function amountIn(option: string, text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  const message = `${option} must be a whole number from 1 on, such as 500 for 5.00 EUR, got ${quote(text)}`;
  throw new GazetteError('usage', message);
}

async function create(account: string, options: ValuesOf<typeof CREATE_OPTIONS>, io: Io): Promise<void> {
  const { until = options.expires, budget, perDay, maxPrice } = options;
  const bound = perDay !== undefined ? 'per-day' : maxPrice !== undefined ? 'max-price' : null;
  if (bound !== null && budget === undefined) {
    const message = `--${bound} needs --budget: budget must be given with per_day or max_price, got none`;
    throw new GazetteError('invalid_option', message);
  }
  const asked = {
    ...grantsIn(options),
    ...(until === undefined ? {} : { expiresAt: until }),
    ...budgetIn(options),
  };
  await withAccounts(options, io, async (accounts) => {
    const { key, entry } = await accounts.createKey(account, asked);
    if (options.json === true) {
      printJson(io, { key, ...toAnswer(accounts, entry) });
      return;
    }
    say(io, `created ${entry.id} for account ${account} and product ${entry.product}; the key is shown only this once`);
    io.stdout.write(`${key}\n`);
  });
}

async function rotate(
  account: string,
  keyId: string | null,
  options: KeyOptions & { readonly grace: string },
  io: Io,
): Promise<void> {
  const graceMs = readGrace(options.grace);
  await withAccounts(options, io, async (accounts) => {
    const { key, entry, replaced } = await accounts.rotateKey(account, keyId, { graceMs });
    if (options.json === true) {
      printJson(io, { key, ...toAnswer(accounts, entry), replaced: toAnswer(accounts, replaced) });
      return;
    }
    const isOver = accounts.keyStateOf(replaced) === 'ended';
    say(io, `${entry.id} replaces ${replaced.id}, which ${isOver ? 'ended' : 'works until'} ${replaced.endsAt!}`);
    say(io, 'the key is shown only this once');
    io.stdout.write(`${key}\n`);
  });
}

async function revoke(
  account: string,
  keyId: string | null,
  options: KeyOptions & { readonly yes?: true },
  io: Io,
): Promise<void> {
  await withAccounts(options, io, async (accounts) => {
    const which = keyId === null ? 'the active key' : `key ${keyId}`;
    const question = `Revoke ${which} of account ${account} permanently?`;
    // No confirmation: no record is lost, and a script that revokes a key is urgent.
    if (options.yes !== true && canAsk(io) && !(await confirm(io, question))) {
      throw new GazetteError('aborted', 'nothing was revoked');
    }
    const entry = await accounts.revokeKey(account, keyId);
    if (options.json === true) printJson(io, toAnswer(accounts, entry));
    else say(io, `revoked ${entry.id} of account ${account}, which ended in ${entry.lastFour}`);
  });
}

async function listKeys(account: string, options: KeyOptions, io: Io): Promise<void> {
  await withAccounts(options, io, async (accounts) => {
    const keys = (await accounts.keys(account)).map((entry) => toAnswer(accounts, entry));
    if (options.json === true) {
      printJson(io, keys);
      return;
    }
    const width = Math.max(0, ...keys.map(({ product }) => product.length));
    for (const { id, state, last_four, product, created_at, last_used_at, budget } of keys) {
      const used = last_used_at === null ? 'never used' : `last used ${last_used_at}`;
      const bound = budget?.max_price == null ? '' : `  at most ${budget.max_price} for a record`;
      io.stdout.write(
        `${id}  …${last_four}  ${state.padEnd('revoked'.length)}  ${product.padEnd(width)}  created ${created_at}  ${used}${bound}\n`,
      );
    }
  });
}

async function withAccounts(options: KeyOptions, io: Io, use: (accounts: Accounts) => Promise<void>): Promise<void> {
  await withStore(options, io, (store) => use(new Accounts(store, { product: options.product })));
}

function toAnswer(accounts: Accounts, entry: ApiKeyEntry): KeyAnswer {
  return toKeyAnswer(entry, accounts.keyStateOf(entry));
}
