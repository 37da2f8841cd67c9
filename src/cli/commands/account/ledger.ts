// `gazette account credit`, `refund` and `ledger`: prepaid credit, and what was bought from it. Amounts are whole numbers in
// the smallest unit of their currency.
import type { Command } from 'commander';
import { GazetteError, quote } from '../../../errors.ts';
import { isWhole } from '../../../checks.ts';
import { Ledger, ledgerCsvHeader, toEntryAnswer, toLedgerCsv } from '../../../operate/ledger.ts';
import { moneyText } from '../../../money.ts';
import type { Entered, LedgerEntry } from '../../../stores/contract/ledger.ts';
import type { Io } from '../../io/io.ts';
import { printJson, say } from '../../io/say.ts';
import { storeOption, type StoreOptions, withStore } from '../../options/store.ts';

/** The options of all three. */
interface LedgerOptions extends StoreOptions {
  readonly json?: true;
}

/** The options of `credit`. */
interface CreditOptions extends LedgerOptions {
  readonly currency: string;
  readonly reference?: string;
  readonly reason?: string;
}

/** An amount from the command line. @throws GazetteError `usage` */
function readAmount(name: string, text: string): number {
  const amount = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (isWhole(amount, 1)) return amount;
  throw new GazetteError(
    'usage',
    `${name} must be a whole number from 1 on, such as 500 for 5.00 EUR, got ${quote(text)}`,
  );
}

/** Adds the commands. @param one makes a subcommand with an argument for the account, and the options of all */
export function addLedger(account: Command, one: (name: string, description: string) => Command, io: Io): void {
  one('credit', 'Give an account credit, from which its keys buy records one by one.')
    .argument('<amount>', 'in the smallest unit of the currency: 500 for 5.00 EUR')
    .requiredOption('--currency <code>', 'the currency, such as EUR; that of the first credit stays')
    .option('--reference <text>', 'such as the number of an invoice: the same credit is given once')
    .option('--reason <text>', 'why, for the ledger')
    .action((id: string, amount: string, options: CreditOptions) => credit(id, amount, options, io));
  one('refund', 'Take a charge of an account back, and with it the record that was bought.')
    .argument('<entry>', 'the number of the charge in the ledger')
    .requiredOption('--reason <text>', 'why, for the ledger')
    .action((id: string, entry: string, options: LedgerOptions & { readonly reason: string }) =>
      refund(id, entry, options, io),
    );
  account
    .command('ledger')
    .description('List what was credited, charged and refunded, newest first.')
    .argument('[account]', 'an account, or a payer such as x402:eip155:8453:0x… (default: all)')
    .addOption(storeOption())
    .option('--csv', 'print the entries as CSV')
    .option('--json', 'print the entries as JSON')
    .action((payer: string | undefined, options: LedgerOptions & { readonly csv?: true }) =>
      list(payer ?? null, options, io),
    );
}

async function credit(accountId: string, amount: string, options: CreditOptions, io: Io): Promise<void> {
  const { currency, reference = null, reason = null } = options;
  const price = { amount: readAmount('the amount', amount), currency };
  await enter(options, io, (ledger) => ledger.credit({ accountId, price, reference, reason }));
}

async function refund(
  accountId: string,
  entry: string,
  options: LedgerOptions & { readonly reason: string },
  io: Io,
): Promise<void> {
  const number = readAmount('the entry', entry);
  await enter(options, io, (ledger) => ledger.refund(accountId, number, options.reason));
}

async function enter(options: LedgerOptions, io: Io, make: (ledger: Ledger) => Promise<Entered>): Promise<void> {
  await withStore(options, io, async (store) => {
    const { entry, isNew } = await make(new Ledger(store.ledger));
    if (options.json === true) {
      printJson(io, { ...toEntryAnswer(entry), entered: isNew });
      return;
    }
    const balance = (await store.accounts.account(entry.payer))?.balance;
    const left =
      balance === undefined ? '' : `; ${moneyText({ amount: balance.left, currency: balance.currency })} are left`;
    const { number, kind } = entry;
    const what = `${moneyText(entry.price)} for ${entry.payer}`;
    if (isNew) say(io, `entry ${number}: ${kind} of ${what}${left}`);
    else say(io, `nothing was done: entry ${number} is the ${kind} of ${what}${left}`);
  });
}

async function list(payer: string | null, options: LedgerOptions & { readonly csv?: true }, io: Io): Promise<void> {
  await withStore(options, io, async (store) => {
    const isAccount = payer !== null && !payer.includes(':');
    const ledger = new Ledger(store.ledger);
    if (options.csv === true) io.stdout.write(ledgerCsvHeader());
    const all: LedgerEntry[] = [];
    let count = 0;
    for await (const part of ledger.entries(payer)) {
      count += part.length;
      if (options.csv === true) io.stdout.write(toLedgerCsv(part));
      else if (options.json === true) all.push(...part);
      else for (const entry of part) io.stdout.write(`${lineOf(entry)}\n`);
    }
    // An account that is gone still has its entries.
    if (count === 0 && isAccount && (await store.accounts.account(payer)) === null) {
      throw new GazetteError('unknown_account', `there is no account ${quote(payer)}`, { details: { account: payer } });
    }
    if (options.json === true) printJson(io, all.map(toEntryAnswer));
  });
}

function lineOf({ number, at, kind, payer, price, item, reason }: LedgerEntry): string {
  const what = item === null ? '' : `  ${item.recordId} v${item.contentVersion}`;
  return `${number}  ${at}  ${kind.padEnd('reversed'.length)}  ${payer}  ${moneyText(price)}${what}${reason === null ? '' : `  ${reason}`}`;
}
