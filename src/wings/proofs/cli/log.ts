// `gazette log`: the logs of registers, by which copies are proved: shown, keys made, and begun again where a store contradicts
// what was signed before.
import { vkeysOf } from '../operate/log-files.ts';
import { randomBytes } from 'node:crypto';
import { GazetteError } from '../../../errors.ts';
import { parseCheckpoint } from '../tlog/checkpoint.ts';
import { recoverLog } from '../mirror/recover.ts';
import { signedLast, withLogState } from '../operate/state.ts';
import { parseNote } from '../tlog/note.ts';
import { counted } from '../../../register/counted.ts';
import type { RegisterLog, StoredLog } from '../stores/contract/logs.ts';
import { command, type UndescribedGroup, flag, text, type ValuesOf, YES } from '../../../cli/command.ts';
import { confirm } from '../../../cli/io/confirm.ts';
import type { Io } from '../../../cli/io/io.ts';
import { say } from '../../../cli/io/say.ts';
import { openStore, STORE, withStore } from '../../../cli/options/store.ts';
import { PROOFS } from '../stores/plugin.ts';

const RECOVER_OPTIONS = {
  store: STORE,
  ofLogs: flag('the log of logs, in place of a register’s'),
  from: text('<store>', 'put back what the store lacks of the register from this one, a copy that has it: its URL'),
  logState: text('<file>', 'with --from: the file of what was signed last, as gazette serve has it'),
  log: text('<name>', 'with --from: the name of the log, if several of the register were signed'),
  newLog: flag('begin a new log, under a new name; consumers begin their copies again'),
  yes: YES,
};

type RecoverOptions = ValuesOf<typeof RECOVER_OPTIONS>;

/** `gazette log`. */
export const logCommand: UndescribedGroup = {
  commands: {
    show: command({
      description:
        'Show the log of each register: its name, its size, the size that is signed, the key that checks it, and the witnesses who signed too.',
      arguments: [['[feed_id]', 'the register (default: all)']],
      options: { store: STORE },
      run: ([feedId], options, { io }) =>
        withStore(options, io, async (store) => {
          const { logs } = store.part(PROOFS);
          const found = feedId === undefined ? await logs.all() : [await logs.of(feedId)];
          for (const one of found) showLog(one, io);
          if (feedId === undefined) showLogOfLogs(await logs.ofLogs(), io);
        }),
    }),
    key: command({
      description:
        'Make a key that signs logs, for GAZETTE_LOG_KEY. Keep it: signatures of before stay valid with it alone.',
      arguments: [],
      options: {},
      run(_, __, { io }) {
        io.stdout.write(`${randomBytes(32).toString('hex')}\n`);
      },
    }),
    recover: command({
      description: 'Decide how a log goes on whose store contradicts what was signed before.',
      arguments: [['[feed_id]', 'the register']],
      options: RECOVER_OPTIONS,
      run: ([feedId], options, { io, signal }) => recover(feedId, options, io, signal),
    }),
  },
};

/** The size of a log that is signed; null when none is. */
function signedSize({ checkpoint }: StoredLog): number | null {
  return checkpoint === null ? null : parseCheckpoint(parseNote(checkpoint).text).size;
}

function showLog(log: RegisterLog, io: Io): void {
  showLines(log, ['register', log.feedId], String(log.size), io);
}

function showLogOfLogs(log: StoredLog, io: Io): void {
  showLines(log, ['log of', 'logs'], String(log.size), io);
}

function showLines(log: StoredLog, name: readonly [string, string], entries: string, { stdout }: Io): void {
  const { origin, vkey } = log;
  const lines = [
    name,
    ['entries', entries],
    ['signed', signedSize(log) ?? 'not yet'],
    ...(origin === null ? [] : [['origin', origin] as const]),
    ...vkeysOf(vkey).map((key) => ['key', key] as const),
    ...cosigners(log).map((witness) => ['witness', witness] as const),
  ] as const;
  for (const [name, value] of lines) stdout.write(`${name.padEnd(8)}  ${value}\n`);
  stdout.write('\n');
}

/** The length of a witness's signature, in bytes: a time, and the signature itself (C2SP tlog-cosignature). */
const COSIGNATURE_LENGTH = 8 + 64;

/** The latest time that a date can have, in seconds since 1970 (ECMA-262 21.4.1.1). */
const LAST_TIME = 8_640_000_000_000n;

/** The witnesses who signed, and when they say they did. Their keys, with which this is checked, are not in the store. */
function cosigners({ origin, checkpoint }: StoredLog): readonly string[] {
  const signatures = checkpoint === null ? [] : parseNote(checkpoint).signatures;
  return signatures
    .filter(({ name, bytes }) => name !== origin && bytes.length === COSIGNATURE_LENGTH)
    .map(({ name, bytes }) => {
      const time = Buffer.from(bytes).readBigUInt64BE();
      if (time > LAST_TIME) return name;
      return `${name} at ${new Date(Number(time) * 1000).toISOString().replace('.000Z', 'Z')}`;
    });
}

/** Puts back what a store lacks, from another one. */
async function recoverFrom(
  feedId: string,
  { store: url, from, logState, log: name }: RecoverOptions & { readonly from: string; readonly logState: string },
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  await withLogState(logState, ({ heads }) =>
    withStore({ store: url }, io, async (store) => {
      const other = await openStore(from, false);
      try {
        const { uuid } = await store.part(PROOFS).logs.of(feedId);
        const signed = signedLast(heads, { feedId, uuid, ...(name === undefined ? {} : { name }) });
        const count = await recoverLog(store, other.store, { feedId, signed, signal });
        say(io, `${counted(count, 'change')} of ${feedId} put back, as they were signed; gazette serve signs on`);
      } finally {
        await other.close();
      }
    }),
  );
}

async function recover(
  feedId: string | undefined,
  options: RecoverOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if ((feedId === undefined) !== (options.ofLogs === true))
    throw new GazetteError('usage', 'name a register, or pass --of-logs');
  const { from, logState } = options;
  if ((options.newLog === true) === (from !== undefined)) {
    throw new GazetteError(
      'usage',
      'restore the latest state of the store if there is one, and gazette serve goes on signing; if another store has what is missing, pass --from; if none has, pass --new-log',
    );
  }
  if (from !== undefined) {
    if (feedId === undefined) throw new GazetteError('usage', '--from needs a register');
    if (logState === undefined) throw new GazetteError('usage', '--from needs --log-state');
    return recoverFrom(feedId, { ...options, from, logState }, io, signal);
  }
  await withStore(options, io, async (store) => {
    if (feedId !== undefined) await store.part(PROOFS).logs.of(feedId);
    const question =
      feedId === undefined
        ? 'Begin a new log of logs? It lists the present checkpoint of each register.'
        : `Begin a new log of ${feedId}? Its change numbers of before are refused from then on.`;
    if (options.yes !== true && !(await confirm(io, question)))
      throw new GazetteError('aborted', 'nothing was changed');
    if (feedId === undefined) await store.part(PROOFS).logs.beginOfLogs();
    else await store.beginNewLogs({ at: new Date().toISOString(), feedId });
    say(
      io,
      feedId === undefined
        ? 'there is a new log of logs; gazette serve signs it'
        : `${feedId} has a new log; gazette serve signs it`,
    );
  });
}
