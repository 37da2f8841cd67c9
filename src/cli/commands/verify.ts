// `gazette verify`: checks that a snapshot is complete, and prints its tier.
import type { Command } from 'commander';
import { GazetteError } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { verifySnapshot } from '../../snapshot/verify.ts';
import { say } from '../io/say.ts';
import { repeatable } from '../options/collect.ts';
import type { Io } from '../io/io.ts';

/** Adds `gazette verify` to the program. */
export function addVerify(program: Command, io: Io, signal: AbortSignal): void {
  program
    .command('verify')
    .description('Check a snapshot: find changed, missing and extra files, and wrong counts.')
    .argument('<folder>', 'the folder that gazette snapshot wrote')
    .addOption(
      repeatable(
        '--also <name>',
        'a file that the host needs, such as CNAME, or a folder with all that is in it',
        'none',
      ),
    )
    .action((folder: string, { also }: { readonly also: readonly string[] }) => verify(folder, also, io, signal));
}

async function verify(folder: string, also: readonly string[], io: Io, signal: AbortSignal): Promise<void> {
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
