// `gazette register price`: what single records of a register cost, and nothing else of its definition.
import { GazetteError } from '../../../errors.ts';
import { Registers } from '../../../operate/registers.ts';
import { moneyText, parsePrice, priceOf } from '../../../money.ts';
import type { ChainPrice, Prices } from '../../../register/record.ts';
import { FEED_ID, type Command, command, flag, JSON_OUTPUT, text } from '../../../cli/command.ts';
import { printJson, say } from '../../../cli/io/say.ts';
import { readDefinitionFile } from '../../../cli/options/definition-file.ts';
import { STORE, withStore } from '../../../cli/options/store.ts';
import { WAIT, waitOptions } from '../../../cli/options/wait.ts';
import { completeIndex } from '../../../cli/process/indexing.ts';
import { toRegisterAnswer } from '../../../cli/commands/register/answer.ts';

/** `gazette register price`. */
export const priceCommand: Command = command({
  description: 'Set what single records of a register cost. Nothing else of the register changes.',
  arguments: [[FEED_ID], ['[price...]', 'such as 2.00 EUR']],
  options: {
    store: STORE,
    onChain: text('<file>', 'a JSON file with prices on chain, by x402 (default: those before stay)'),
    none: flag('sell nothing any more'),
    wait: WAIT,
    json: JSON_OUTPUT,
  },
  async run([feedId, written], options, { io, signal }) {
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
  },
});
