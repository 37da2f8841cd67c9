// `gazette account sign-in` and `gazette editor sign-in`: a link with which somebody signs in. It is printed once.
import { checkBaseUrl } from '../../../export/page-links.ts';
import { accountSignIns, editorSignIns, LINK_MS } from '../../../operate/sign-in.ts';
import type { SignInKind } from '../../../stores/contract/sign-in.ts';
import { printJson, say } from '../../io/say.ts';
import { type StoreOptions, withStore } from '../../options/store.ts';
import type { Io } from '../../io/io.ts';

const WAYS = {
  account: { signIns: accountSignIns, path: '/sign-in', whom: 'the owner of account' },
  editor: { signIns: editorSignIns, path: '/desk/sign-in', whom: 'the editor' },
} as const;

/** Makes the link, and prints it. */
export async function makeSignIn(
  kind: SignInKind,
  id: string,
  options: StoreOptions & { readonly baseUrl: string; readonly json?: true },
  io: Io,
): Promise<void> {
  const { signIns, path, whom } = WAYS[kind];
  const site = checkBaseUrl(options.baseUrl);
  const secret = await withStore(options, io, (store) => signIns(store).createLink(id));
  const url = `${site}${path}/${secret}`;
  if (options.json === true) printJson(io, { [kind]: id, url, minutes: LINK_MS / 60_000 });
  else {
    io.stdout.write(`${url}\n`);
    say(io, `hand this link to ${whom} ${id}: it works for ${LINK_MS / 60_000} minutes, and once`);
  }
}
