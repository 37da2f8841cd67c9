// Payments on chain as a part of `gazette serve`.
import { serving, type ServingWing } from '../../../cli/wings.ts';
import { PAYMENT_OPTIONS } from './payment-options.ts';

export const PAYMENTS: ServingWing = serving({
  options: PAYMENT_OPTIONS,
  async check(options, io) {
    const { paymentSettings } = await import('./payments.ts');
    paymentSettings(options, io);
  },
  async service(store, options, io) {
    const { paymentsOf } = await import('./payments.ts');
    const provider = await paymentsOf(options, io, store);
    return provider === null ? {} : { providers: [provider] };
  },
  async start(store, options, io) {
    if (options.x402Facilitator === undefined) return null;
    const { chainsOf, keepReconciling } = await import('./payments.ts');
    return keepReconciling(io, store, chainsOf(options));
  },
});
