// `gazette mirror`: a register of another service in this store, change by change (mirror/mirror.ts), and its promotion.
import { GazetteError } from '../../errors.ts';
import type { ProveOptions } from '../../mirror/prover.ts';
import { mirrorRegister } from '../../mirror/mirror.ts';
import { counted } from '../../register/counted.ts';
import { type Argument, command, flag, type Options, type Undescribed } from '../command.ts';
import type { Io } from '../io/io.ts';
import { Progress } from '../io/progress.ts';
import { say } from '../io/say.ts';
import { STORE, type StoreOptions, withStore } from '../options/store.ts';
import { KEY_VARIABLE, withKeyVariable } from './pull.ts';

/** The word that stands for an address where a mirror is promoted. */
export const PROMOTE = 'promote';

/** What is mirrored. */
export const MIRROR_ARGUMENTS: readonly [
  Argument & readonly ['<url>', string],
  Argument & readonly ['[feed_id]', string],
] = [
  [
    '<url>',
    'the address of the register, such as https://example.org/api/v1/feeds/permits; or `promote`: the mirror becomes a register of its own',
  ],
  ['[feed_id]', 'with promote: the mirror'],
];

/** How long it goes on, and where. */
export interface MirroringOptions extends StoreOptions {
  readonly once?: true;
}

/** The options of it. */
export const MIRROR_OPTIONS: Options<MirroringOptions> = {
  store: STORE,
  once: flag('end once the mirror has all that there is (default: follow for ever)'),
};

/** `gazette mirror`. */
export const mirrorCommand: Undescribed = command({
  arguments: MIRROR_ARGUMENTS,
  options: MIRROR_OPTIONS,
  async run(args, options, { io, signal }) {
    await mirror(args, options, io, signal, { isUnproved: true });
  },
});

/**
 * Mirrors a register, or promotes a mirror, and says so.
 *
 * @throws GazetteError as `mirrorRegister()`
 */
export async function mirror(
  [address, feedId]: readonly [string, string | undefined],
  { once, ...options }: MirroringOptions,
  io: Io,
  signal: AbortSignal,
  proving: { readonly isUnproved?: boolean; readonly prove?: ProveOptions },
): Promise<void> {
  if ((address === PROMOTE) !== (feedId !== undefined))
    throw new GazetteError('usage', 'name the address of a register, or promote and a mirror');
  if (feedId !== undefined) {
    await withStore(options, io, async (store) => {
      await store.mirrors.promote(feedId, { at: new Date().toISOString() });
    });
    say(io, `${feedId} is a register of its own now, and counts its changes in a new log`);
    return;
  }
  const key = io.env[KEY_VARIABLE];
  const progress = new Progress(io.stderr, null);
  // On a line of a terminal that is drawn anew, else in the log of what keeps it running, where the same is not said twice.
  let told = '';
  const tell = (words: string): void => {
    if (io.stderr.isTTY === true) progress.say(words);
    else if (words !== told) say(io, words);
    told = words;
  };
  let isBehind: boolean | null = null;
  try {
    await withStore(
      options,
      io,
      async (store) => {
        const { change } = await mirrorRegister(store, address, {
          ...(key === undefined || key === '' ? {} : { key }),
          ...{ ...proving, once: once === true, signal },
          onProgress({ change, of }) {
            progress.update({ records: change, bytesRead: 0, of });
            if (once !== true && isBehind !== change < of) {
              isBehind = change < of;
              tell(
                isBehind
                  ? `the mirror is ${counted(of - change, 'change')} behind`
                  : `the mirror has all ${counted(change, 'change')}`,
              );
            }
          },
          onTrouble: ({ message }) => {
            isBehind = null;
            tell(`${message}; it is asked again`);
          },
        });
        progress.clear();
        say(io, `the mirror has ${counted(change, 'change')}`);
      },
      { makes: true },
    );
  } catch (error) {
    throw withKeyVariable(error);
  } finally {
    progress.clear();
  }
}
