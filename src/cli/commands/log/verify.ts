// `gazette verify URL`: everything that a register recorded, read again and compared with what its log signed, now and at the
// last run.
import { appendFile, readFile } from 'node:fs/promises';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { replaceFile } from '../../../files/staged-file.ts';
import { provedChanges } from '../../../mirror/proved/changes.ts';
import type { Io } from '../../io/io.ts';
import { Progress } from '../../io/progress.ts';
import { say } from '../../io/say.ts';

/** The options of `gazette verify` for an address. */
export interface VerifyRegisterOptions {
  readonly vkey?: string;
  readonly state?: string;
}

/** @throws GazetteError `usage`, and the errors of `provedChanges()` */
export async function verifyRegister(
  address: string,
  { vkey, state }: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (vkey === undefined) throw new GazetteError('usage', 'an address needs --vkey, the key of the register’s log');
  const kept = state === undefined ? null : await textIn(state);
  const key = io.env.GAZETTE_API_KEY;
  const live = new Set<number>();
  let changes = 0;
  let checkpoint = '';
  const progress = new Progress(io.stderr, null, undefined, '', 'change');
  try {
    const proved = provedChanges(address, {
      ...{ vkey, kept, since: 0, signal },
      ...(key === undefined || key === '' ? {} : { key }),
      onProved: (head) => {
        checkpoint = head.checkpoint;
      },
    });
    for await (const { position, cause } of proved) {
      if (cause === 'withdrawn' || cause === 'redacted') live.delete(position);
      else live.add(position);
      progress.update({ records: ++changes, bytesRead: 0, of: null });
    }
  } catch (error) {
    if (state !== undefined && isGazetteError(error, 'log_forked')) await keepEvidence(`${state}.forked`, error, io);
    throw error;
  } finally {
    progress.clear();
  }
  if (state !== undefined) await replaceFile(state, Buffer.from(checkpoint));
  const since = kept === null ? '' : `, which begins with the ${kept.split('\n')[1]!} of the last run`;
  io.stdout.write(`complete and unrewritten to change ${changes}${since}: ${live.size} records\n`);
}

/** Both checkpoints prove that the log was forked. */
async function keepEvidence(path: string, { details }: GazetteError, io: Io): Promise<void> {
  await appendFile(path, `${String(details.kept)}\n${String(details.served)}\n`);
  say(io, `both checkpoints are in ${path}: keep it`);
}

async function textIn(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
