// `gazette account`: accounts and their access.
import { DEFAULT_PRODUCT } from '../../access/api-key.ts';
import { hasAccessAt } from '../../access/state.ts';
import { GazetteError, quote } from '../../errors.ts';
import { Accounts } from '../../operate/accounts.ts';
import { type AccountAnswer, toAccountAnswer } from '../../operate/answers.ts';
import { endTime } from '../../operate/times.ts';
import { counted } from '../../register/counted.ts';
import type { Account } from '../../stores/contract/accounts.ts';
import {
  command,
  type UndescribedGroup,
  flagsOf,
  JSON_OUTPUT,
  required,
  text,
  type ValuesOf,
  YES,
} from '../command.ts';
import { confirm } from '../io/confirm.ts';
import { printJson, say } from '../io/say.ts';
import { rateText } from '../../web/rate-limit.ts';
import { ACCOUNT_LIMIT, limitOf } from '../options/limits.ts';
import { BASE_URL } from '../options/publication.ts';
import { makeSignIn } from './account/sign-in.ts';
import { STORE, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** The value of `--until`, for the help of each command that has it. */
const UNTIL = 'a day, which counts as a whole and in UTC, or a date-time such as 2027-01-01T12:00:00Z';

/** The value of `--email`. */
const EMAIL = 'where its owner gets links to sign in';

/** The argument for an account. */
export const ACCOUNT = ['<account>', 'at most 64 of a-z, 0-9 and -'] as const;

/** The options of all that prints one account. */
const COMMON = { store: STORE, json: JSON_OUTPUT };

type AccountOptions = ValuesOf<typeof COMMON>;

const ADD_OPTIONS = {
  ...COMMON,
  until: text('<date>', `until when it has access: ${UNTIL}`),
  limit: ACCOUNT_LIMIT,
  email: text('<address>', EMAIL),
};

const UPDATE_OPTIONS = {
  ...COMMON,
  limit: ACCOUNT_LIMIT,
  email: text('<address>', `${EMAIL}; none for nowhere`),
};

/** `gazette account`. */
export const accountCommand: UndescribedGroup = {
  commands: {
    add: command({
      description: 'Create an account.',
      arguments: [ACCOUNT],
      options: ADD_OPTIONS,
      run: ([id], options, { io }) => add(id, options, io),
    }),
    list: command({
      description: 'List all accounts: state, end of access, limit, and where the owner gets mail.',
      arguments: [],
      options: COMMON,
      run: (_, options, { io }) => list(options, io),
    }),
    extend: command({
      description: 'Change until when an account has access.',
      arguments: [ACCOUNT],
      options: { ...COMMON, until: required(text('<date>', UNTIL)) },
      run([id], options, { io }) {
        const until = readUntil(options.until);
        return change(options, io, (accounts) => accounts.extend(id, until), untilOf);
      },
    }),
    update: command({
      description: 'Change how much the keys of an account may request, or where its owner gets mail.',
      arguments: [ACCOUNT],
      options: UPDATE_OPTIONS,
      run: ([id], options, { io }) => update(id, options, io),
    }),
    'sign-in': command({
      description: 'Make a link with which the owner of an account signs in, once.',
      arguments: [ACCOUNT],
      options: { ...COMMON, baseUrl: required(BASE_URL) },
      run: ([id], options, { io }) => makeSignIn('account', id, options, io),
    }),
    suspend: command({
      description: 'Stop an account at once, even if it has paid.',
      arguments: [ACCOUNT],
      options: COMMON,
      run: ([id], options, { io }) =>
        change(
          options,
          io,
          (accounts) => accounts.suspend(id),
          () => 'is suspended: its keys do not work',
        ),
    }),
    remove: command({
      description: 'Remove an account with its keys, its endpoints and their deliveries, permanently.',
      arguments: [ACCOUNT],
      options: { ...COMMON, yes: YES },
      run: ([id], options, { io }) => remove(id, options, io),
    }),
    resume: command({
      description: 'End the suspension of an account.',
      arguments: [ACCOUNT],
      options: COMMON,
      run: ([id], options, { io }) =>
        change(
          options,
          io,
          (accounts) => accounts.resume(id),
          (kept) => `is no longer suspended; it ${untilOf(kept)}`,
        ),
    }),
  },
};

/** The end of access as an RFC 3339 date-time. @throws GazetteError `usage` */
export function readUntil(text: string): string {
  const end = endTime(text);
  if (end !== null) return end;
  throw new GazetteError('usage', `--until must be ${UNTIL}, got ${quote(text)}`);
}

async function add(id: string, options: ValuesOf<typeof ADD_OPTIONS>, io: Io): Promise<void> {
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

async function update(
  id: string,
  { limit, email, ...options }: ValuesOf<typeof UPDATE_OPTIONS>,
  io: Io,
): Promise<void> {
  if (limit === undefined && email === undefined) {
    throw new GazetteError('usage', `give what to change: ${flagsOf(UPDATE_OPTIONS, COMMON)}`);
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
    const accounts = new Accounts(store, { product: DEFAULT_PRODUCT });
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
  await withStore(options, io, (store) => use(new Accounts(store, { product: DEFAULT_PRODUCT })), { makes });
}

async function list(options: AccountOptions, io: Io): Promise<void> {
  await withStore(options, io, async (store) => {
    const accounts = new Accounts(store, { product: DEFAULT_PRODUCT });
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
