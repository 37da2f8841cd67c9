// `gazette verify`: checks that a snapshot is complete, and prints its tier.
import { GazetteError } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { verifySnapshot } from '../../snapshot/verify.ts';
import { type Option, type Undescribed, command, list } from '../command.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** Files of a snapshot's folder that are not the snapshot's. */
export const ALSO: Option<readonly string[]> = list(
  '<name>',
  'a file that the host needs, such as CNAME, or a folder with all that is in it',
  'none',
);

/** `gazette verify`. */
export const verifyCommand: Undescribed = command({
  arguments: [['<folder>', 'the folder that gazette snapshot wrote']],
  options: { also: ALSO },
  run: ([folder], { also }, { io, signal }) => verify(folder, also, io, signal),
});

/** @throws GazetteError `damaged_snapshot`, `interrupted_snapshot`, and those of `verifySnapshot()` */
export async function verify(folder: string, also: readonly string[], io: Io, signal: AbortSignal): Promise<void> {
  const { state, tier, registers, records, files, findings } = await verifySnapshot(folder, { also, signal });
  io.stdout.write(
    `${state}: tier ${tier ?? 'unknown'}, ${counted(registers, 'register')}, ${counted(records, 'record')}, ${counted(files, 'file')}\n` +
      findings.map(({ path, problem, detail }) => `${problem.replace('_', ' ')}: ${path}: ${detail}\n`).join(''),
  );
  if (findings.some(({ problem }) => problem === 'extra')) {
    say(io, 'name the extra files that your host needs with --also, such as --also CNAME --also .well-known');
  }
  if (findings.length > 0) {
    throw new GazetteError(
      'damaged_snapshot',
      `${folder} is not as it was written: ${counted(findings.length, 'file')}`,
    );
  }
  if (state === 'interrupted') {
    throw new GazetteError(
      'interrupted_snapshot',
      `${folder} is unfinished, because the run was interrupted; run gazette snapshot again to complete it`,
    );
  }
}
