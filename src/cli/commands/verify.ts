// `gazette verify`: checks that a snapshot is complete, and prints its tier; or that a register of a service or of a store is what its
// log signed.
import { GazetteError } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { verifySnapshot } from '../../snapshot/verify.ts';
import { type Undescribed, command, list, text } from '../command.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';
import { policyOptions } from '../../wings/proofs/cli/policy.ts';
import { withoutPassword } from '../io/without-password.ts';
import { withStore } from '../options/store.ts';
import { verifyFolderLog, verifyRegister, verifyStoreLog } from '../../wings/proofs/cli/verify.ts';

/** `gazette verify`. */
export const verifyCommand: Undescribed = command({
  arguments: [
    [
      '<place>',
      'the folder that gazette snapshot wrote, or the address of a register, such as https://example.org/api/v1/feeds/permits, or a store: sqlite:FILE or postgres://…',
    ],
  ],
  options: {
    also: list('<name>', 'a file that the host needs, such as CNAME, or a folder with all that is in it', 'none'),
    vkey: text(
      '<key>',
      'the key that checks the signatures of a log: of the address, or in the folder or the store, of a register or the log of logs',
    ),
    state: text(
      '<file>',
      'with --vkey: keep the signed checkpoints in this file, and check that the next ones begin with them',
    ),
    ...policyOptions('with --vkey'),
  },
  async run([place], { also, ...options }, { io, signal }) {
    if (/^https?:/.test(place)) return verifyRegister(place, options, io, signal);
    if (/^(?:sqlite:|postgres(?:ql)?:\/\/)/.test(place)) {
      const name = withoutPassword(place);
      return withStore({ store: place }, io, (store) => verifyStoreLog(store, name, options, io, signal), {
        readOnly: true,
      });
    }
    await verify(place, also, io, signal);
    if (Object.keys(options).length > 0) await verifyFolderLog(place, options, io, signal);
  },
});

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
