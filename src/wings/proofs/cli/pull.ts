// `gazette pull` where logs are known: a copy that is compared with what the log of its register signed.
import { ADDRESS, pull, PULL_OPTIONS } from '../../../cli/commands/pull.ts';
import { type Undescribed, command, flag, text } from '../../../cli/command.ts';
import { say } from '../../../cli/io/say.ts';
import { GazetteError } from '../../../errors.ts';
import { policyOptions, readPolicy } from './policy.ts';
import { listingTexts } from './verify.ts';

/** `gazette pull`. */
export const pullCommand: Undescribed = command({
  arguments: [ADDRESS],
  options: {
    ...PULL_OPTIONS,
    prove: flag('compare every record with what the log of the register signed; needs --vkey and --format ndjson'),
    vkey: text('<key>', 'for --prove: the key that checks the signatures of the log'),
    ...policyOptions('for --prove'),
  },
  async run([url], { prove, vkey, ...options }, { io, signal }) {
    if ((prove === true) !== (vkey !== undefined)) {
      throw new GazetteError(
        'usage',
        '--prove and --vkey go together: the key of the register’s log says what is proved',
      );
    }
    if (vkey === undefined && (options.witness !== undefined || options.policy !== undefined))
      throw new GazetteError('usage', '--witness and --policy need --prove');
    const policy = readPolicy(options);
    const proof = vkey === undefined ? undefined : { vkey, ...(policy === undefined ? {} : { policy }) };
    const { listing } = await pull(url, options, io, signal, proof);
    if (listing !== undefined) for (const line of listingTexts(listing)) say(io, line);
  },
});
