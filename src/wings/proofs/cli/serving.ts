// Signing as a part of `gazette serve`.
import { serving, type ServingWing } from '../../../cli/wings.ts';
import { LOG_OPTIONS } from './signing-options.ts';

export const SIGNING: ServingWing = serving({
  options: LOG_OPTIONS,
  async start(store, options, io) {
    const { keepSigning } = await import('./signing/signing.ts');
    return keepSigning(io, store, options);
  },
});
