// `gazette mirror` where logs are known: what is taken in is compared with what the log of its register signed.
import { mirror, MIRROR_ARGUMENTS, MIRROR_OPTIONS, PROMOTE } from '../../../cli/commands/mirror.ts';
import { command, flag, text, type Undescribed } from '../../../cli/command.ts';
import type { Io } from '../../../cli/io/io.ts';
import { say } from '../../../cli/io/say.ts';
import { isPostgres, pathOf, type StoreOptions, withStore } from '../../../cli/options/store.ts';
import { GazetteError } from '../../../errors.ts';
import { LastCheckpoint } from '../mirror/last-checkpoint.ts';
import { promoteSigned } from '../operate/promote.ts';
import { withLogState } from '../operate/state.ts';
import { policyOptions, readPolicy } from './policy.ts';

/** `gazette mirror`. */
export const mirrorCommand: Undescribed = command({
  arguments: MIRROR_ARGUMENTS,
  options: {
    ...MIRROR_OPTIONS,
    vkey: text('<key>', 'take in only what this key of the register’s log has signed, once it is proved'),
    ...policyOptions('for --vkey'),
    logState: text(
      '<file>',
      'with promote: keep the log of the source, which signed with this file of what was signed last, and is stopped',
    ),
    unproved: { ...flag('take in what is not proved, though the log of the register is signed'), conflicts: 'vkey' },
  },
  async run(args, { vkey, unproved, logState, ...options }, { io, signal }) {
    const [address, feedId] = args;
    if (logState !== undefined) {
      if (address !== PROMOTE || feedId === undefined)
        throw new GazetteError('usage', '--log-state is for promote and a mirror');
      return promote(feedId, logState, options, io, signal);
    }
    if (vkey === undefined && (options.witness !== undefined || options.policy !== undefined))
      throw new GazetteError('usage', '--witness and --policy need --vkey');
    const policy = readPolicy(options);
    const prove = vkey === undefined ? {} : { prove: { vkey, ...(policy === undefined ? {} : { policy }) } };
    const { store } = options;
    const evidence = new LastCheckpoint(isPostgres(store) ? 'mirror' : pathOf(store));
    await evidence.watching(() => mirror(args, options, io, signal, { ...prove, isUnproved: unproved === true }));
  },
});

async function promote(
  feedId: string,
  logState: string,
  { store }: StoreOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  await withLogState(logState, ({ heads }) =>
    withStore({ store }, io, async (opened) => {
      const name = await promoteSigned(opened, { feedId, heads, signal });
      say(
        io,
        `${feedId} is a register of its own now; with the keys of before, gazette serve signs its log on: ${name}`,
      );
    }),
  );
}
