// `gazette verify` where logs are known: of a snapshot, its logs too; of a register of a service or of a store, that it is what its log
// signed; of a saved page, what its proofs prove.
import { statSync } from 'node:fs';
import { ALSO, verify } from '../../../cli/commands/verify.ts';
import { type Undescribed, command, text } from '../../../cli/command.ts';
import { withoutPassword } from '../../../cli/io/without-password.ts';
import { withStore } from '../../../cli/options/store.ts';
import { policyOptions } from './policy.ts';
import { verifyPage } from './verify-page.ts';
import { verifyFolderLog, verifyRegister, verifyStoreLog } from './verify.ts';

/** `gazette verify`. */
export const verifyCommand: Undescribed = command({
  arguments: [
    [
      '<place>',
      'the folder that gazette snapshot wrote, or the address of a register, such as https://example.org/api/v1/feeds/permits, or a store: sqlite:FILE or postgres://…, or a saved page of a record',
    ],
  ],
  options: {
    also: ALSO,
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
    if (statSync(place, { throwIfNoEntry: false })?.isFile() === true) {
      verifyPage(place, options, io);
      return;
    }
    await verify(place, also, io, signal);
    if (Object.keys(options).length > 0) await verifyFolderLog(place, options, io, signal);
  },
});
