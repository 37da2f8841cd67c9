// `gazette account`: accounts and their access.
import type { Command } from 'commander';
import { DEFAULT_PRODUCT } from '../../access/api-key.ts';
import { hasAccessAt } from '../../access/state.ts';
import { GazetteError, quote } from '../../errors.ts';
import { Accounts } from '../../operate/accounts.ts';
import { type AccountAnswer, toAccountAnswer } from '../../operate/answers.ts';
import { endTime } from '../../operate/times.ts';
import { counted } from '../../register/counted.ts';
import type { Account } from '../../stores/contract/accounts.ts';
import { confirm } from '../io/confirm.ts';
import { printJson, say } from '../io/say.ts';
import { rateText } from '../../web/rate-limit.ts';
import { accountLimitOption, limitOf, type Rate } from '../options/limits.ts';
import { addLedger } from './account/ledger.ts';
import { addSignIn } from './account/sign-in.ts';
import { storeOption, type StoreOptions, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** The options of all subcommands. */
interface AccountOptions extends StoreOptions {
  readonly json?: true;
}

/** The options of `add`. */
interface AddOptions extends AccountOptions {
  readonly until?: string;
  readonly limit?: Rate;
  readonly email?: string;
}

/** The options of `update`. */
type UpdateOptions = Pick<AddOptions, 'json' | 'store' | 'limit' | 'email'>;

/** The value of `--until`, for the help of each command that has it. */
const UNTIL = 'a day, which counts as a whole and in UTC, or a date-time such as 2027-01-01T12:00:00Z';

/** The value of `--email`. */
const EMAIL = 'where its owner gets links to sign in';

/** Adds `gazette account` and its subcommands to the program. */
export function addAccount(program: Command, io: Io): void {
  const account = program.command('account').description('Manage accounts: who has access, and until when.');
  const one = (name: string, description: string): Command =>
    account
      .command(name)
      .description(description)
      .argument('<account>', 'at most 64 of a-z, 0-9 and -')
      .addOption(storeOption())
      .option('--json', 'print the result as JSON');
  one('add', 'Create an account.')
    .option('--until <date>', `until when it has access: ${UNTIL}`)
    .addOption(accountLimitOption())
    .option('--email <address>', EMAIL)
    .action((id: string, options: AddOptions) => add(id, options, io));
  account
    .command('list')
    .description('List all accounts: state, end of access, limit, and where the owner gets mail.')
    .addOption(storeOption())
    .option('--json', 'print the result as JSON')
    .action((options: AccountOptions) => list(options, io));
  one('extend', 'Change until when an account has access.')
    .requiredOption('--until <date>', UNTIL)
    .action((id: string, options: AccountOptions & { until: string }) => {
      const until = readUntil(options.until);
      return change(options, io, (accounts) => accounts.extend(id, until), untilOf);
    });
  one('update', 'Change how much the keys of an account may request, or where its owner gets mail.')
    .addOption(accountLimitOption())
    .option('--email <address>', `${EMAIL}; none for nowhere`)
    .action((id: string, options: UpdateOptions) => update(id, options, io));
  addSignIn(one('sign-in', 'Make a link with which the owner of an account signs in, once.'), io);
  addLedger(account, one, io);
  one('suspend', 'Stop an account at once, even if it has paid.').action((id: string, options: AccountOptions) =>
    change(
      options,
      io,
      (accounts) => accounts.suspend(id),
      () => 'is suspended: its keys do not work',
    ),
  );
  one('remove', 'Remove an account with its keys, its endpoints and their deliveries, permanently.')
    .option('--yes', 'do not ask')
    .action((id: string, options: AccountOptions & { yes?: true }) => remove(id, options, io));
  one('resume', 'End the suspension of an account.').action((id: string, options: AccountOptions) =>
    change(
      options,
      io,
      (accounts) => accounts.resume(id),
      (kept) => `is no longer suspended; it ${untilOf(kept)}`,
    ),
  );
}

/** The end of access as an RFC 3339 date-time. @throws GazetteError `usage` */
export function readUntil(text: string): string {
  const end = endTime(text);
  if (end !== null) return end;
  throw new GazetteError('usage', `--until must be ${UNTIL}, got ${quote(text)}`);
}

async function add(id: string, options: AddOptions, io: Io): Promise<void> {
  const until = options.until === undefined ? null : readUntil(options.until);
  await change(
    options,
    io,
    (accounts) => accounts.add(id, until, { limit: limitOf(options.limit ?? 'none'), email: options.email ?? null }),
    (kept) =>
      until === null ? 'is made, and has no access yet: gazette account extend' : `is made; it ${untilOf(kept)}`,
    { makes: true },
  );
}

async function update(id: string, { limit, email, ...options }: UpdateOptions, io: Io): Promise<void> {
  if (limit === undefined && email === undefined) {
    throw new GazetteError('usage', 'give what to change: --limit or --email');
  }
  const changed = {
    ...(limit === undefined ? {} : { limit: limitOf(limit) }),
    ...(email === undefined ? {} : { email: email === 'none' ? null : email }),
  };
  const ofLimit = (kept: Account): string =>
    kept.limit === null
      ? 'has no limit of its own: each of its keys may request as much as any key'
      : `may request ${rateText(kept.limit)}, all of its keys together`;
  const ofEmail = (kept: Account): string =>
    kept.email === null ? 'gets no mail' : `gets links to sign in at ${kept.email}`;
  await change(
    options,
    io,
    (accounts) => accounts.update(id, changed),
    (kept) =>
      [limit === undefined ? null : ofLimit(kept), email === undefined ? null : ofEmail(kept)]
        .filter((text) => text !== null)
        .join('; it '),
  );
}

async function remove(id: string, options: AccountOptions & { readonly yes?: true }, io: Io): Promise<void> {
  await withStore(options, io, async (store) => {
    const accounts = new Accounts(store.accounts, { product: DEFAULT_PRODUCT });
    const keys = await accounts.keys(id);
    const question = `Remove the account ${id} with ${counted(keys.length, 'key')}, its endpoints and their deliveries?`;
    if (options.yes !== true && !(await confirm(io, question))) {
      throw new GazetteError('aborted', 'nothing was removed');
    }
    await accounts.remove(id);
    if (options.json === true) printJson(io, { removed: id });
    else say(io, `removed the account ${id}`);
  });
}

async function change(
  options: AccountOptions,
  io: Io,
  make: (accounts: Accounts) => Promise<Account>,
  said: (account: Account) => string,
  { makes = false }: { readonly makes?: boolean } = {},
): Promise<void> {
  const use = async (accounts: Accounts): Promise<void> => {
    const account = await make(accounts);
    if (options.json === true) printJson(io, toAnswer(accounts, account));
    else say(io, `account ${account.id} ${said(account)}`);
  };
  // Accounts do not belong to a product.
  await withStore(options, io, (store) => use(new Accounts(store.accounts, { product: DEFAULT_PRODUCT })), { makes });
}

async function list(options: AccountOptions, io: Io): Promise<void> {
  await withStore(options, io, async (store) => {
    const accounts = new Accounts(store.accounts, { product: DEFAULT_PRODUCT });
    const all = await accounts.all();
    if (options.json === true) {
      printJson(
        io,
        all.map((account) => toAnswer(accounts, account)),
      );
      return;
    }
    const width = Math.max(0, ...all.map(({ id }) => id.length));
    for (const account of all) {
      const limit = account.limit === null ? '' : `  ${rateText(account.limit)}`;
      const state = accounts.stateOf(account).padEnd('suspended'.length);
      const email = account.email === null ? '' : `  ${account.email}`;
      io.stdout.write(
        `${account.id.padEnd(width)}  ${state}  ${account.accessUntil ?? ''}${limit}${email}`.trimEnd() + '\n',
      );
    }
  });
}

function untilOf({ accessUntil }: Account): string {
  if (accessUntil === null) return 'has no access';
  return hasAccessAt(accessUntil, Date.now()) ? `has access until ${accessUntil}` : `had access until ${accessUntil}`;
}

function toAnswer(accounts: Accounts, account: Account): AccountAnswer {
  return toAccountAnswer(account, accounts.stateOf(account));
}
