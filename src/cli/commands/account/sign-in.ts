// `gazette account sign-in`: a link with which the owner of an account signs in. It is printed once.
import { checkBaseUrl } from '../../../export/page-links.ts';
import { LINK_MS, SignIns } from '../../../operate/sign-in.ts';
import type { Io } from '../../io/io.ts';
import { printJson, say } from '../../io/say.ts';
import { type StoreOptions, withStore } from '../../options/store.ts';

/** Makes the link, and prints it. */
export async function makeSignIn(
  id: string,
  options: StoreOptions & { readonly baseUrl: string; readonly json?: true },
  io: Io,
): Promise<void> {
  const site = checkBaseUrl(options.baseUrl);
  const secret = await withStore(options, io, (store) => new SignIns(store.signIns).createLink(id));
  const url = `${site}/sign-in/${secret}`;
  if (options.json === true) printJson(io, { account: id, url, minutes: LINK_MS / 60_000 });
  else {
    io.stdout.write(`${url}\n`);
    say(io, `hand this link to the owner of account ${id}: it works for ${LINK_MS / 60_000} minutes, and once`);
  }
}
