// How the pages of the desk answer: an editor who is signed in, with what she may do; everybody else is led to where one
// signs in. A page that is added takes `forEditor`, or `forEditorsForm` for what changes something, and `registerFor`.
import { actorOf, checkMay, type DeskRight } from '../../operate/desk/editors.ts';
import type { Editor } from '../../stores/contract/desk/editors.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { unknownFeed } from '../../stores/rows/register.ts';
import type { SignInFrame } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { DESK_COOKIE } from '../frame.ts';
import type { PageContext } from '../services.ts';
import { signInFrame } from '../sign-in/answers.ts';
import { type Door, forSignedIn, forSignedInForm, SESSION_FORMS } from '../sign-in/door.ts';
import { formToken, sessionSecret } from '../sign-in/session.ts';
import type { DeskRequest, DeskServices } from './services.ts';

/** The way to the desk, and out. */
export function deskDoor({
  signIns,
  mail,
  editors,
  options,
}: Pick<DeskServices, 'signIns' | 'mail' | 'editors' | 'options'>): Door<Editor> {
  return {
    ...{ cookie: DESK_COOKIE, path: '/desk/sign-in', outPath: '/desk/sign-out', homePath: '/desk' },
    ...{ signIns, mail, options },
    textsIn: ({ desk }) => desk,
    idOf: ({ name }) => name,
    async signedIn(context) {
      const secret = sessionSecret(context, DESK_COOKIE);
      const owner = secret === null ? null : await signIns.ownerOf(secret);
      return owner === null || secret === null ? null : { owner, secret };
    },
    onChange: (editor, change) => editors.note(actorOf(editor), change),
  };
}

/** Answers an editor who is signed in; everybody else is led to where one signs in. */
export function forEditor(
  services: DeskServices,
  context: PageContext,
  answer: (request: DeskRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return forSignedIn(deskDoor(services), context, ({ owner, secret }) => answer({ context, editor: owner, secret }));
}

/**
 * Answers a form of an editor who is signed in, once it is known to be sent from a page of her session.
 *
 * @throws GazetteError the errors of `readOwnForm`
 */
export function forEditorsForm(
  services: DeskServices,
  context: PageContext,
  answer: (request: DeskRequest, fields: URLSearchParams) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return forSignedInForm(deskDoor(services), context, ({ owner, secret }, fields) => {
    return answer({ context, editor: owner, secret }, fields);
  });
}

/** The frame of a page for an editor, with the token of its forms. */
export function deskFrame({ context, secret }: DeskRequest, { options }: DeskServices): SignInFrame {
  return signInFrame(context, options, formToken(secret, SESSION_FORMS));
}

/**
 * A register with which an editor may do this.
 *
 * @throws GazetteError `unknown_feed`, also where others work on it; `editor_refused`
 */
export async function registerFor(
  { editor }: Pick<DeskRequest, 'editor'>,
  { store }: Pick<DeskServices, 'store'>,
  right: DeskRight,
  feedId: string,
): Promise<RegisterEntry> {
  checkMay(editor, right, feedId);
  const entry = await store.register(feedId);
  if (entry === null) throw unknownFeed(feedId);
  return entry;
}
