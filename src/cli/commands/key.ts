// `gazette key`: an account's keys. A key is printed once, alone, on standard output, and cannot be printed again.
import type { Command } from 'commander';
import { Accounts, DEFAULT_GRACE_MS } from '../../operate/accounts.ts';
import { type KeyAnswer, toKeyAnswer } from '../../operate/answers.ts';
import { GazetteError } from '../../errors.ts';
import type { ApiKeyEntry } from '../../stores/contract/accounts.ts';
import { canAsk, confirm } from '../io/confirm.ts';
import { printJson, say } from '../io/say.ts';
import { HOUR_MS, readGrace } from '../options/grace.ts';
import { productOption, type ProductOptions } from '../options/product.ts';
import { storeOption, type StoreOptions, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** The options of all subcommands. */
interface KeyOptions extends StoreOptions, ProductOptions {
  readonly json?: true;
}

/** Adds `gazette key` and its subcommands to the program. */
export function addKey(program: Command, io: Io): void {
  const key = program.command('key').description('Create, rotate, revoke and list the API keys of an account.');
  const one = (name: string, description: string): Command =>
    key
      .command(name)
      .description(description)
      .argument('<account>')
      .addOption(storeOption())
      .addOption(productOption())
      .option('--json', 'print the result as JSON');
  one('create', 'Create a key and print it, once.').action((account: string, options: KeyOptions) =>
    create(account, options, io),
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

async function create(account: string, options: KeyOptions, io: Io): Promise<void> {
  await withAccounts(options, io, async (accounts) => {
    const { key, entry } = await accounts.createKey(account);
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
    for (const { id, state, last_four, product, created_at, last_used_at } of keys) {
      const used = last_used_at === null ? 'never used' : `last used ${last_used_at}`;
      io.stdout.write(
        `${id}  …${last_four}  ${state.padEnd('revoked'.length)}  ${product.padEnd(width)}  created ${created_at}  ${used}\n`,
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
