// `gazette mirror` where logs are known: what is taken in is compared with what the log of its register signed.
import { mirror, MIRROR_ARGUMENTS, MIRROR_OPTIONS } from '../../../cli/commands/mirror.ts';
import { command, flag, text, type Undescribed } from '../../../cli/command.ts';
import { GazetteError } from '../../../errors.ts';
import { policyOptions, readPolicy } from './policy.ts';

/** `gazette mirror`. */
export const mirrorCommand: Undescribed = command({
  arguments: MIRROR_ARGUMENTS,
  options: {
    ...MIRROR_OPTIONS,
    vkey: text('<key>', 'take in only what this key of the register’s log has signed, once it is proved'),
    ...policyOptions('for --vkey'),
    unproved: { ...flag('take in what is not proved, though the log of the register is signed'), conflicts: 'vkey' },
  },
  async run(args, { vkey, unproved, ...options }, { io, signal }) {
    if (vkey === undefined && (options.witness !== undefined || options.policy !== undefined))
      throw new GazetteError('usage', '--witness and --policy need --vkey');
    const policy = readPolicy(options);
    const prove = vkey === undefined ? {} : { prove: { vkey, ...(policy === undefined ? {} : { policy }) } };
    await mirror(args, options, io, signal, { ...prove, isUnproved: unproved === true });
  },
});
