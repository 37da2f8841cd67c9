// `gazette reconcile`: ends payments on chain that nobody knows the end of. `gazette serve` does it all the time.
import type { Command } from 'commander';
import { GazetteError } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';
import { storeOption, type StoreOptions, withStore } from '../options/store.ts';
import { addChainOptions, type ChainReadingOptions, chainsOf, reconcile } from '../process/payments.ts';

/** Adds `gazette reconcile` to the program. */
export function addReconcile(program: Command, io: Io, signal: AbortSignal): void {
  const command = program
    .command('reconcile')
    .description(
      'Look at the chain for payments that are under way, or charged lately: charge those that were made, release those that never will be, and reverse charges whose transfer has vanished.',
    )
    .addOption(storeOption());
  addChainOptions(command).action(async (options: StoreOptions & ChainReadingOptions) => {
    const chains = chainsOf(options);
    if (chains.length === 0) throw new GazetteError('usage', 'gazette reconcile needs --x402-rpc');
    await withStore(options, io, async ({ ledger }) => {
      const { open, settled, released, reversed, failed } = await reconcile(io, ledger, chains, signal);
      say(
        io,
        `${counted(open, 'payment')} under way: ${settled} charged, ${released} released, ${reversed} reversed, ${failed} not looked at`,
      );
      if (failed > 0) throw new GazetteError('payment_unavailable', 'a chain could not be read: run the command again');
    });
  });
}
