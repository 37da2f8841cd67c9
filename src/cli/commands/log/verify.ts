// `gazette verify URL`: everything that a register recorded, read again and compared with what its log signed, now and at the
// last run.
import { GazetteError } from '../../../errors.ts';
import { provedChanges } from '../../../mirror/proved/changes.ts';
import { SeenCheckpoint } from '../../../mirror/proved/seen.ts';
import type { Io } from '../../io/io.ts';
import { Progress } from '../../io/progress.ts';

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
  const seen = state === undefined ? null : new SeenCheckpoint(state);
  const kept = (await seen?.read()) ?? null;
  const key = io.env.GAZETTE_API_KEY;
  const live = new Set<number>();
  let changes = 0;
  let checkpoint = '';
  const progress = new Progress(io.stderr, null, undefined, '', 'change');
  const compare = async (): Promise<void> => {
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
  };
  try {
    await (seen === null ? compare() : seen.watching(compare));
  } finally {
    progress.clear();
  }
  await seen?.keep(checkpoint);
  const since = kept === null ? '' : `, which begins with the ${kept.split('\n')[1]!} of the last run`;
  io.stdout.write(`complete and unrewritten to change ${changes}${since}: ${live.size} records\n`);
}
