// `gazette key`: an account's keys. A key is printed once, alone, on standard output, and cannot be printed again.
import { type Command, Option } from 'commander';
import { Accounts, DEFAULT_GRACE_MS } from '../../operate/accounts.ts';
import { type KeyAnswer, toKeyAnswer } from '../../operate/answers.ts';
import { GazetteError, quote } from '../../errors.ts';
import { parsePrice } from '../../money.ts';
import type { ApiKeyEntry, KeyChange, KeyScope } from '../../stores/contract/accounts.ts';
import { DEFAULT_SCOPES, KEY_SCOPES } from '../../stores/rows/keys.ts';
import { canAsk, confirm } from '../io/confirm.ts';
import { printJson, say } from '../io/say.ts';
import { repeatable } from '../options/collect.ts';
import { parseRate } from '../../web/rate-limit.ts';
import { HOUR_MS } from '../../operate/times.ts';
import { readGrace } from '../options/grace.ts';
import { productOption, type ProductOptions } from '../options/product.ts';
import { storeOption, type StoreOptions, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** The options of all subcommands. */
interface KeyOptions extends StoreOptions, ProductOptions {
  readonly json?: true;
}

/** What a key may do, as `create` and `update` are given it. */
interface GrantOptions extends KeyOptions {
  /** False: `--no-name`. */
  readonly name?: string | false;
  readonly scope: readonly string[];
  readonly feed: readonly string[];
  /** `none`: no limit of its own. */
  readonly limit?: string;
  readonly budget?: string;
  /** `none`: as much as is left. */
  readonly perDay?: string;
  /** `none`: as much as is left. */
  readonly maxPrice?: string;
}

/** The options of `create`. */
interface CreateOptions extends GrantOptions {
  readonly until?: string;
  readonly expires?: string;
}

/** The options of `update`. */
interface UpdateOptions extends Omit<GrantOptions, 'budget'> {
  readonly allFeeds?: true;
  /** `false`: `--no-budget`. */
  readonly budget?: string | false;
}

/** The text for `--limit`. */
const LIMIT = 'how much it may request, such as 600/60';

/** The text for `--scope`. */
const SCOPE = `what it is for: ${KEY_SCOPES.join(', ')}`;

/** The texts for `--budget`, `--per-day` and `--max-price`. */
const BUDGET = 'it pays for what it reads, from the account’s credit: so much altogether, in cents';
const PER_DAY = 'so much of its budget on one day, in UTC';
const MAX_PRICE = 'so much for one record, such as "2.00 EUR"';

/** Adds `gazette key` and its subcommands to the program. */
export function addKey(program: Command, io: Io): void {
  const key = program.command('key').description('Create, change, rotate, revoke and list the API keys of an account.');
  const one = (name: string, description: string): Command =>
    key
      .command(name)
      .description(description)
      .argument('<account>')
      .addOption(storeOption())
      .addOption(productOption())
      .option('--json', 'print the result as JSON');
  one('create', 'Create a key and print it, once.')
    .option('--name <text>', 'what its owner calls it')
    .addOption(repeatable('--scope <scope>', SCOPE, DEFAULT_SCOPES.join(', ')))
    .addOption(repeatable('--feed <id>', 'it opens this register', 'all'))
    .option('--limit <requests/seconds>', LIMIT)
    .option('--until <date>', 'until when it works: a day in UTC, or a date-time (default: as long as its account)')
    .addOption(new Option('--expires <date>', 'the same as --until').conflicts('until'))
    .option('--budget <amount>', BUDGET)
    .option('--per-day <amount>', PER_DAY)
    .option('--max-price <price>', MAX_PRICE)
    .action((account: string, options: CreateOptions) => create(account, options, io));
  one('update', 'Change the name of a key, or what it may do. The key itself stays.')
    .argument('[key_id]', 'the key to change (default: the only active one)')
    .option('--name <text>', 'what its owner calls it')
    .option('--no-name', 'take its name away')
    .addOption(repeatable('--scope <scope>', SCOPE, 'as before'))
    .addOption(repeatable('--feed <id>', 'it opens this register', 'as before'))
    .option('--all-feeds', 'it opens all registers')
    .option('--limit <requests/seconds>', `${LIMIT}; none: as much as any key`)
    .option('--budget <amount>', `${BUDGET}, of which it has spent some already`)
    .option('--no-budget', 'it pays for nothing by reading')
    .option('--per-day <amount>', `${PER_DAY}; none: as much as is left`)
    .option('--max-price <price>', `${MAX_PRICE}; none: as much as is left`)
    .action((account: string, keyId: string | undefined, options: UpdateOptions) =>
      update(account, keyId ?? null, options, io),
    );
  one('rotate', 'Create a key that replaces another one, and print it, once. The old key keeps working for a while.')
    .argument('[key_id]', 'the key to replace (default: the only active one)')
    .option(
      '--grace <hours>',
      'how long the old key keeps working; 0 ends it at once',
      String(DEFAULT_GRACE_MS / HOUR_MS),
    )
    .action((account: string, keyId: string | undefined, options: KeyOptions & { grace: string }) =>
      rotate(account, keyId ?? null, options, io),
    );
  one('revoke', 'End a key at once and permanently.')
    .argument('[key_id]', 'the key to revoke (default: the only active one)')
    .option('--yes', 'do not ask')
    .action((account: string, keyId: string | undefined, options: KeyOptions & { yes?: true }) =>
      revoke(account, keyId ?? null, options, io),
    );
  one('list', 'List the keys of an account, for all products.').action((account: string, options: KeyOptions) =>
    list(account, options, io),
  );
}

function grantsIn({ name, scope, feed, limit }: Omit<GrantOptions, 'budget'>): KeyChange {
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
    const message =
      'give what to change: --name, --scope, --feed, --all-feeds, --limit, --budget, --per-day or --max-price';
    throw new GazetteError('usage', message);
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

async function create(account: string, options: CreateOptions, io: Io): Promise<void> {
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

async function list(account: string, options: KeyOptions, io: Io): Promise<void> {
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
  await withStore(options, io, (store) => use(new Accounts(store.accounts, { product: options.product })));
}

function toAnswer(accounts: Accounts, entry: ApiKeyEntry): KeyAnswer {
  return toKeyAnswer(entry, accounts.keyStateOf(entry));
}
