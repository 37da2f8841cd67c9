// Who is signed in, and where everybody else is led: the same for the pages of accounts and for the desk, each with sessions
// of its own.
import type { SignInMail } from '../../operate/sign-in-mail.ts';
import type { SignIns } from '../../operate/sign-in.ts';
import type { PageParts } from '../../templates/layout.ts';
import type { SignInTexts } from '../../templates/languages/account/mail-en.ts';
import type { Wording } from '../../templates/wording.ts';
import { checkOwnPage } from '../../web/own-page.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageContext, PageOptions } from '../services.ts';
import { seeOther } from './answers.ts';
import { readOwnForm, sessionCookie, sessionSecret } from './session.ts';

/** The purpose of the forms of a session. */
export const SESSION_FORMS = 'session';

/** Somebody who is signed in. */
export interface SignedIn<Owner> {
  readonly owner: Owner;
  /** Of the session. */
  readonly secret: string;
}

/** A way into pages that are somebody's own, and out. */
export interface Door<Owner> {
  /** The name of the cookie of its sessions, without the prefix `__Host-`. */
  readonly cookie: string;
  /** Where a link is asked for; below it are the links. */
  readonly path: string;
  readonly outPath: string;
  /** Where somebody who has signed in is led. */
  readonly homePath: string;
  readonly current?: PageParts['current'];
  readonly signIns: SignIns<Owner>;
  /** Sends links by e-mail. Null: the operator hands them out. */
  readonly mail: SignInMail | null;
  readonly options: PageOptions;
  readonly textsIn: (wording: Wording) => SignInTexts;
  /** The id of an account, or the name of an editor: what the page of a link calls whom it signs in. */
  readonly idOf: (owner: Owner) => string;
  /** Who asks. */
  readonly signedIn: (context: PageContext) => Promise<SignedIn<Owner> | null>;
  /** Called when a session has begun, and when it was ended by its owner. */
  readonly onChange?: (owner: Owner, change: 'signed_in' | 'signed_out') => Promise<void>;
}

/** Answers somebody who is signed in; everybody else is led to where one signs in, and told if a session has ended. */
export async function forSignedIn<Owner>(
  door: Door<Owner>,
  context: PageContext,
  answer: (signedIn: SignedIn<Owner>) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const signedIn = await door.signedIn(context);
  if (signedIn !== null) return answer(signedIn);
  // A browser forgets the cookie of a session that is too old; its open form comes without one.
  const isForm = context.request.method === 'POST';
  if (!isForm && sessionSecret(context, door.cookie) === null) return seeOther(context, door.path);
  const cookie = sessionCookie(context, door.cookie, null);
  return seeOther(context, door.path, { given: new URLSearchParams({ done: 'sessionEnded' }), cookie });
}

/**
 * Answers a form of somebody who is signed in. What another site had a browser send is refused before anything else is done.
 *
 * @throws GazetteError the errors of {@link readOwnForm}
 */
export async function forSignedInForm<Owner>(
  door: Door<Owner>,
  context: PageContext,
  answer: (signedIn: SignedIn<Owner>, fields: URLSearchParams) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  checkOwnPage(context);
  return forSignedIn(door, context, async (signedIn) => {
    const fields = await readOwnForm(context, { secret: signedIn.secret, purpose: SESSION_FORMS });
    return answer(signedIn, fields);
  });
}
