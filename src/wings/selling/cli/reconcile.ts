// `gazette reconcile`: ends payments on chain that nobody knows the end of. `gazette serve` does it all the time.
import { GazetteError } from '../../../errors.ts';
import { counted } from '../../../register/counted.ts';
import { type Undescribed, command } from '../../../cli/command.ts';
import { say } from '../../../cli/io/say.ts';
import { CHAIN_OPTIONS } from './payment-options.ts';
import { STORE, withStore } from '../../../cli/options/store.ts';
import { chainsOf, reconcile } from './payments.ts';

/** `gazette reconcile`. */
export const reconcileCommand: Undescribed = command({
  arguments: [],
  options: { store: STORE, ...CHAIN_OPTIONS },
  async run(_, options, { io, signal }) {
    const chains = chainsOf(options);
    if (chains.length === 0) throw new GazetteError('usage', 'gazette reconcile needs --x402-rpc');
    await withStore(options, io, async (store) => {
      const { open, settled, released, reversed, failed } = await reconcile(io, store, chains, signal);
      say(
        io,
        `${counted(open, 'payment')} under way: ${settled} charged, ${released} released, ${reversed} reversed, ${failed} not looked at`,
      );
      if (failed > 0) throw new GazetteError('payment_unavailable', 'a chain could not be read: run the command again');
    });
  },
});
