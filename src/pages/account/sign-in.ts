// `/sign-in`, `/sign-in/{secret}` and `/sign-out`: the way into an account and out. A GET changes nothing, because mail
// scanners follow links; a link is used up by a POST whose token belongs to the cookie that came with the page. Where it
// leads afterwards is fixed: no parameter names another page.
import { Limits } from '../../access/limits/limits.ts';
import { GazetteError } from '../../errors.ts';
import { keptEmail } from '../../stores/rows/accounts.ts';
import { linkSentPage, askPage, confirmPage, endedPage } from '../../templates/account/sign-in-pages.ts';
import { signInMail } from '../../templates/account/sign-in-mail.ts';
import type { Sent } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { siteOf } from '../frame.ts';
import type { PageContext, PageRoute } from '../services.ts';
import { forOwnersForm, ownerFrame, pageAnswer, seeOther } from './answers.ts';
import type { OwnerServices } from './services.ts';
import {
  formToken,
  newPageSecret,
  pageCookie,
  pageSecret,
  readOwnForm,
  sessionCookie,
  sessionSecret,
} from './session.ts';

const PATH = '/sign-in';

const BOTH = ['GET', 'HEAD', 'POST'];

/** The purpose of the form that asks for a link. */
const ASK = 'ask for a link';

/** So many people of one network ask for a link in an hour; more are a program. */
const NETWORK_LIMIT = { limit: 20, windowSeconds: 3600 };

/** The way into an account and out. */
export function signInRoutes(services: OwnerServices): readonly PageRoute[] {
  const limits = new Limits(null, { perAddress: NETWORK_LIMIT });
  const shared = { access: 'public', documentation: null } as const;
  return [
    {
      ...{ ...shared, path: PATH, methods: BOTH },
      answer: (context) =>
        context.request.method === 'POST' ? askedFor(services, context, limits) : ask(services, context),
    },
    {
      ...{ ...shared, path: `${PATH}/{secret}`, methods: BOTH },
      answer: (context, { secret }) =>
        context.request.method === 'POST' ? use(services, context, secret!) : confirm(services, context, secret!),
    },
    {
      ...{ ...shared, path: '/sign-out', methods: ['POST'] },
      answer: (context) =>
        forOwnersForm(services, context, async ({ account, secret }, fields) => {
          if (fields.has('everywhere')) await services.signIns.endAll(account.id);
          else await services.signIns.end(secret);
          const given = new URLSearchParams({ done: 'signedOut' });
          return seeOther(context, PATH, { given, cookie: sessionCookie(context, null) });
        }),
    },
  ];
}

/** The form that asks for a link. */
function ask(services: OwnerServices, context: PageContext): HttpResponse {
  if (context.access.account !== undefined) return seeOther(context, '/account');
  const { mail } = services;
  const done = context.parameters.get('done');
  if (done === 'asked' && mail !== null) {
    const frame = ownerFrame(context, services, { token: '' });
    return pageAnswer(context, linkSentPage(frame), frame);
  }
  return askAgain(services, context, { isSignedOut: done === 'signedOut' });
}

/** The form, with what was wrong with it. */
function askAgain(
  services: OwnerServices,
  context: PageContext,
  { sent = null, status = 200, isSignedOut = false }: AskParts,
): HttpResponse {
  const secret = pageSecret(context) ?? newPageSecret();
  const frame = ownerFrame(context, services, { token: formToken(secret, ASK) });
  const said = isSignedOut ? frame.wording.account.signIn.signedOut : null;
  const document = askPage({ ...frame, said }, { hasMail: services.mail !== null, sent });
  return pageAnswer(context, document, { ...frame, status, cookie: pageCookie(context, secret) });
}

interface AskParts {
  readonly sent?: Sent | null;
  readonly status?: number;
  readonly isSignedOut?: boolean;
}

/** Takes the wish for a link. Whether an account has the address makes no difference here, not even in time. */
async function askedFor(services: OwnerServices, context: PageContext, limits: Limits): Promise<HttpResponse> {
  const fields = await readOwnForm(context, { secret: pageSecret(context), purpose: ASK });
  const { mail, options } = services;
  if (mail === null) throw new GazetteError('not_found', 'links are not sent by e-mail here');
  const { wording } = ownerFrame(context, services, { token: '' });
  const texts = wording.account.signIn;
  const refused = (status: number, text: string): HttpResponse =>
    askAgain(services, context, {
      status,
      sent: { fields, problem: { form: 'ask', field: 'email', text, detail: null } },
    });
  const email = addressIn(fields.get('email') ?? '');
  if (email === null) return refused(422, texts.emailError);
  const { remoteAddress } = context;
  if (remoteAddress !== null && !(await limits.take('address', remoteAddress)).isAllowed)
    return refused(429, texts.tooMany);
  const site = siteOf(context);
  mail.request(email, (links) =>
    signInMail(wording, {
      service: options.service.title,
      links: links.map(({ accountId, secret }) => ({ accountId, url: `${site}${PATH}/${secret}` })),
    }),
  );
  return seeOther(context, PATH, { given: new URLSearchParams({ done: 'asked' }) });
}

/** An address as accounts have it; null for a text that is none. */
function addressIn(text: string): string | null {
  try {
    return keptEmail(text.trim());
  } catch {
    // It is not an address: the form says so.
    return null;
  }
}

/** The page that a link leads to. It looks the link up and changes nothing. */
async function confirm(services: OwnerServices, context: PageContext, linkSecret: string): Promise<HttpResponse> {
  const account = await services.signIns.accountOfLink(linkSecret);
  if (account === null) return ended(services, context);
  const secret = pageSecret(context) ?? newPageSecret();
  const frame = ownerFrame(context, services, { token: formToken(secret, linkSecret) });
  const document = confirmPage(frame, { path: `${PATH}/${linkSecret}`, accountId: account.id });
  return pageAnswer(context, document, { ...frame, cookie: pageCookie(context, secret) });
}

/** Uses a link up. The session is a new one, whatever the browser sent: nobody can have known its secret before. */
async function use(services: OwnerServices, context: PageContext, linkSecret: string): Promise<HttpResponse> {
  await readOwnForm(context, { secret: pageSecret(context), purpose: linkSecret });
  const session = await services.signIns.begin(linkSecret);
  if (session === null) return ended(services, context);
  const former = sessionSecret(context);
  if (former !== null) await services.signIns.end(former);
  return seeOther(context, '/account', { cookie: sessionCookie(context, session.secret) });
}

function ended(services: OwnerServices, context: PageContext): HttpResponse {
  const frame = ownerFrame(context, services, { token: '' });
  return pageAnswer(context, endedPage(frame, { hasMail: services.mail !== null }), { ...frame, status: 410 });
}
