// How the pages of accounts answer.
import { GazetteError } from '../../errors.ts';
import { isInTrouble } from '../../operate/endpoint-mail.ts';
import type { Account } from '../../stores/contract/accounts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { Frame } from '../../templates/layout.ts';
import type { OwnerFrame } from '../../templates/account/parts.ts';
import type { PageContext } from '../services.ts';
import { saidIn, signInFrame } from '../sign-in/answers.ts';
import { forSignedIn, forSignedInForm, SESSION_FORMS, type SignedIn } from '../sign-in/door.ts';
import { formToken } from '../sign-in/session.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';
import { ownersDoor } from './session.ts';

/** What can have been done: names of texts. */
const DONE: ReadonlySet<string> = new Set([
  ...['saved', 'revoked', 'tested', 'disabled', 'enabled', 'removed', 'activatedNow'],
  ...['replayed', 'replayedOne', 'replayedNone', 'replayedNot'],
]);

/** The frame of a page for somebody signed in. @param texts what may be said of what was just done, by name */
export function sessionFrame(
  { context, secret, troubled }: OwnerRequest,
  { options }: OwnerServices,
  texts?: (frame: Frame) => Readonly<Record<string, unknown>>,
): OwnerFrame {
  const frame = signInFrame(context, options, formToken(secret, SESSION_FORMS));
  const known = Object.entries(texts?.(frame) ?? {}).filter(([name]) => DONE.has(name));
  return { ...frame, troubled, said: saidIn(context, frame, Object.fromEntries(known)) };
}

/** Answers somebody who is signed in; everybody else is led to where one signs in. */
export function forOwner(
  services: OwnerServices,
  context: PageContext,
  answer: (request: OwnerRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return forSignedIn(ownersDoor(services), context, async (signedIn) => {
    return answer(await ownerRequest(services, context, signedIn));
  });
}

async function ownerRequest(
  services: OwnerServices,
  context: PageContext,
  { owner, secret }: SignedIn<Account>,
): Promise<OwnerRequest> {
  const own = services.ownAccount(owner.id);
  const now = services.now();
  const troubled = (await own.endpoints()).filter((endpoint) => isInTrouble(endpoint, now));
  return { context, account: owner, secret, own, troubled };
}

/** Answers a form of somebody who is signed in. @throws GazetteError the errors of `forSignedInForm` */
export function forOwnersForm(
  services: OwnerServices,
  context: PageContext,
  answer: (request: OwnerRequest, fields: URLSearchParams) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  return forSignedInForm(ownersDoor(services), context, async (signedIn, fields) => {
    return answer(await ownerRequest(services, context, signedIn), fields);
  });
}

/** What is not there, or another account's: the same answer. */
export function notThere(context: PageContext): GazetteError {
  return new GazetteError('not_found', `nothing is served at ${context.path}`);
}
