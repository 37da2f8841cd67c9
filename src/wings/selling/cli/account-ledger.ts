// `gazette account credit`, `refund` and `ledger`: prepaid credit, and what was bought from it. Amounts are whole numbers in
// the smallest unit of their currency.
import { GazetteError, quote } from '../../../errors.ts';
import { isWhole } from '../../../checks.ts';
import { Ledger, ledgerCsvHeader, toEntryAnswer, toLedgerCsv } from '../operate/ledger.ts';
import { moneyText } from '../../../money.ts';
import type { Entered, LedgerEntry } from '../stores/contract/ledger.ts';
import { ACCOUNT } from '../../../cli/commands/account.ts';
import { command, type CommandGroup, flag, JSON_OUTPUT, required, text, type ValuesOf } from '../../../cli/command.ts';
import type { Io } from '../../../cli/io/io.ts';
import { printJson, say } from '../../../cli/io/say.ts';
import { STORE, type StoreOptions, withStore } from '../../../cli/options/store.ts';
import { SELLING } from '../stores/plugin.ts';

const CREDIT_OPTIONS = {
  store: STORE,
  json: JSON_OUTPUT,
  currency: required(text('<code>', 'the currency, such as EUR; that of the first credit stays')),
  reference: text('<text>', 'such as the number of an invoice: the same credit is given once'),
  reason: text('<text>', 'why, for the ledger'),
};

const REFUND_OPTIONS = {
  store: STORE,
  json: JSON_OUTPUT,
  import: text(
    '<feed>',
    'refund all that was bought of records that an import, or its undo, withdrew: its number follows',
  ),
  reason: required(text('<text>', 'why, for the ledger')),
};

const LEDGER_OPTIONS = {
  store: STORE,
  csv: flag('print the entries as CSV'),
  json: flag('print the entries as JSON'),
};

/** An amount from the command line. @throws GazetteError `usage` */
function readAmount(name: string, text: string): number {
  const amount = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (isWhole(amount, 1)) return amount;
  throw new GazetteError(
    'usage',
    `${name} must be a whole number from 1 on, such as 500 for 5.00 EUR, got ${quote(text)}`,
  );
}

/** The commands, by their names. */
export const LEDGER_COMMANDS: CommandGroup['commands'] = {
  credit: command({
    description: 'Give an account credit, from which its keys buy records one by one.',
    arguments: [ACCOUNT, ['<amount>', 'in the smallest unit of the currency: 500 for 5.00 EUR']],
    options: CREDIT_OPTIONS,
    run: ([id, amount], options, { io }) => credit(id, amount, options, io),
  }),
  refund: command({
    description: 'Take a charge of an account back, and with it the record that was bought.',
    arguments: [
      ['<account>', `${ACCOUNT[1]}; with --import, the number of the import`],
      ['[entry]', 'the number of the charge in the ledger'],
    ],
    options: REFUND_OPTIONS,
    run: ([id, entry], options, { io }) => refund(id, entry, options, io),
  }),
  ledger: command({
    description: 'List what was credited, charged and refunded, newest first.',
    arguments: [['[account]', 'an account, or a payer such as x402:eip155:8453:0x… (default: all)']],
    options: LEDGER_OPTIONS,
    run: ([payer], options, { io }) => list(payer ?? null, options, io),
  }),
};

async function credit(
  accountId: string,
  amount: string,
  options: ValuesOf<typeof CREDIT_OPTIONS>,
  io: Io,
): Promise<void> {
  const { currency, reference = null, reason = null } = options;
  const price = { amount: readAmount('the amount', amount), currency };
  await enter(options, io, (ledger) => ledger.credit({ accountId, price, reference, reason }));
}

async function refund(
  accountId: string,
  entry: string | undefined,
  options: ValuesOf<typeof REFUND_OPTIONS>,
  io: Io,
): Promise<void> {
  if (options.import !== undefined) {
    if (entry !== undefined)
      throw new GazetteError('usage', '--import takes the number of an import, and nothing else');
    return refundImport(options.import, readAmount('the import', accountId), options, io);
  }
  if (entry === undefined) throw new GazetteError('usage', 'missing <entry>, the number of the charge in the ledger');
  const number = readAmount('the entry', entry);
  await enter(options, io, (ledger) => ledger.refund(accountId, number, options.reason));
}

async function refundImport(
  feedId: string,
  number: number,
  options: ValuesOf<typeof REFUND_OPTIONS>,
  io: Io,
): Promise<void> {
  await withStore(options, io, async (store) => {
    await store.imports.find(feedId, number);
    let refunds = 0;
    await new Ledger(store.part(SELLING)).refundImport(number, options.reason, (charge, refund) => {
      const what = `${moneyText(charge.price)} for ${charge.payer}`;
      if (refund === null) {
        say(io, `entry ${charge.number} of ${what} was paid on chain: return it there, and refund it then`);
        return;
      }
      refunds++;
      if (options.json === true) printJson(io, { ...toEntryAnswer(refund), entered: true });
      else say(io, `entry ${refund.number}: refund of ${what}, ${charge.item!.recordId}`);
    });
    if (refunds === 0) say(io, 'nothing was refunded');
  });
}

async function enter(
  options: StoreOptions & { readonly json?: true },
  io: Io,
  make: (ledger: Ledger) => Promise<Entered>,
): Promise<void> {
  await withStore(options, io, async (store) => {
    const { entry, isNew } = await make(new Ledger(store.part(SELLING)));
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

async function list(payer: string | null, options: ValuesOf<typeof LEDGER_OPTIONS>, io: Io): Promise<void> {
  await withStore(options, io, async (store) => {
    const isAccount = payer !== null && !payer.includes(':');
    const ledger = new Ledger(store.part(SELLING));
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
