// The commands that sell: one of their own, and those below commands of the core.
import type { WingCommands } from '../../../cli/wings.ts';

export const SELLING_COMMANDS: WingCommands = {
  before: 'backup',
  commands: {
    reconcile: {
      usage: '[options]',
      description:
        'Look at the chain for payments that are under way, or charged lately: charge those that were made, release those that never will be, and reverse charges whose transfer has vanished.',
      load: async () => (await import('./reconcile.ts')).reconcileCommand,
    },
  },
  below: {
    account: { before: 'suspend', load: async () => (await import('./account-ledger.ts')).LEDGER_COMMANDS },
    register: {
      before: 'retype',
      load: async () => ({ price: (await import('./price.ts')).priceCommand }),
    },
  },
};
