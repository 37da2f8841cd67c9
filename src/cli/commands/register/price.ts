// `gazette register price`: what single records of a register cost, and nothing else of its definition.
import type { Command } from 'commander';
import { GazetteError } from '../../../errors.ts';
import { Registers } from '../../../operate/registers.ts';
import { moneyText, parsePrice, priceOf } from '../../../money.ts';
import type { ChainPrice, Prices } from '../../../register/record.ts';
import type { Io } from '../../io/io.ts';
import { printJson, say } from '../../io/say.ts';
import { readDefinitionFile } from '../../options/definition-file.ts';
import { storeOption, type StoreOptions, withStore } from '../../options/store.ts';
import { waitOption, waitOptions } from '../../options/wait.ts';
import { completeIndex } from '../../process/indexing.ts';
import { toRegisterAnswer } from './answer.ts';

interface PriceOptions extends StoreOptions {
  readonly onChain?: string;
  readonly none?: true;
  readonly json?: true;
  readonly wait?: true;
}

/** Adds the command to the command `gazette register`. */
export function addPrice(register: Command, io: Io, signal: AbortSignal): void {
  register
    .command('price')
    .description('Set what single records of a register cost. Nothing else of the register changes.')
    .argument('<feed_id>')
    .argument('[price...]', 'such as 2.00 EUR')
    .addOption(storeOption())
    .option('--on-chain <file>', 'a JSON file with prices on chain, by x402 (default: those before stay)')
    .option('--none', 'sell nothing any more')
    .addOption(waitOption())
    .option('--json', 'print the result as JSON')
    .action(async (feedId: string, written: readonly string[], options: PriceOptions) => {
      if (
        (options.none === true) !== (written.length === 0) ||
        (options.none === true && options.onChain !== undefined)
      ) {
        throw new GazetteError('usage', 'give a price such as 2.00 EUR, or --none');
      }
      const price = options.none === true ? null : parsePrice('price', written.join(' '));
      const onChain = options.onChain === undefined ? undefined : (await readDefinitionFile(options.onChain)).value;
      await withStore(options, io, async (store) => {
        const registers = new Registers(store);
        const known = (await registers.find(feedId)).definition.prices?.x402;
        // Checked as every definition is.
        const x402 = onChain === undefined ? known : (onChain as readonly ChainPrice[]);
        const prices: Prices | null =
          price === null
            ? null
            : { currency: price.currency, per_record: price.amount, ...(x402 === undefined ? {} : { x402 }) };
        const entry = await registers.setPrices(feedId, prices, waitOptions(options, io, signal));
        await completeIndex(io, store.finding, feedId, signal);
        const now = priceOf(entry.definition);
        if (options.json === true) printJson(io, toRegisterAnswer(entry));
        else say(io, `${feedId}: ${now === null ? 'nothing is sold any more' : `${moneyText(now)} per record`}`);
      });
    });
}
