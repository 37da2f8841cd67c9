// The commands that know logs: one of their own, and those of the core that can prove.
import type { WingCommands } from '../../../cli/wings.ts';

export const PROOFS_COMMANDS: WingCommands = {
  before: 'backup',
  commands: {
    log: {
      usage: '',
      description: 'Show the logs by which registers are proved, and make keys for them.',
      load: async () => (await import('./log.ts')).logCommand,
    },
  },
  instead: {
    pull: { load: async () => (await import('./pull.ts')).pullCommand },
    mirror: { load: async () => (await import('./mirror.ts')).mirrorCommand },
    verify: {
      usage: '[options] <place>',
      description:
        'Check a snapshot: find changed, missing and extra files, and wrong counts, and whether the log of a register in it, and what its records say, is what was signed. Or check a register of a service, or of a store: that all it recorded is what its log signed, and that the log of logs lists no other log of it. Or check a page of a record that you saved: what the proofs in it prove. The API key is read from GAZETTE_API_KEY; without one, what is public is checked.',
      load: async () => (await import('./verify-command.ts')).verifyCommand,
    },
  },
};
