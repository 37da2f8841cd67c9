// The way in and out: where a link is asked for, the links below it, and where somebody signs out. A GET changes nothing,
// because mail scanners follow links; a link is used up by a POST whose token belongs to the cookie that came with the page.
// Where it leads afterwards is fixed: no parameter names another page.
import { Limits } from '../../access/limits/limits.ts';
import { GazetteError } from '../../errors.ts';
import { keptEmail } from '../../stores/rows/accounts.ts';
import {
  linkSentPage,
  askPage,
  confirmPage,
  endedPage,
  type SignInWay,
} from '../../templates/account/sign-in-pages.ts';
import { signInMail } from '../../templates/account/sign-in-mail.ts';
import type { Sent, SignInFrame } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { siteOf } from '../frame.ts';
import type { PageContext, PageRoute } from '../services.ts';
import { pageAnswer, seeOther, signInFrame } from './answers.ts';
import { type Door, forSignedInForm } from './door.ts';
import {
  formToken,
  newPageSecret,
  pageCookie,
  pageSecret,
  readOwnForm,
  sessionCookie,
  sessionSecret,
} from './session.ts';

const BOTH = ['GET', 'HEAD', 'POST'];

/** So many people of one network ask for a link in an hour; more are a program. */
const NETWORK_LIMIT = { limit: 20, windowSeconds: 3600 };

/** What is said of a session that ended: names in the texts of the way in. */
const ENDED = ['signedOut', 'sessionEnded'] as const;

/** The routes of a way in and out. */
export function signInRoutes<Owner>(door: Door<Owner>): readonly PageRoute[] {
  const limits = new Limits(null, { perAddress: NETWORK_LIMIT });
  const { path, outPath, cookie, signIns } = door;
  const shared = { access: 'public', documentation: null } as const;
  return [
    {
      ...{ ...shared, path, methods: BOTH },
      answer: (context) => (context.request.method === 'POST' ? askedFor(door, context, limits) : ask(door, context)),
    },
    {
      ...{ ...shared, path: `${path}/{secret}`, methods: BOTH },
      answer: (context, { secret }) =>
        context.request.method === 'POST' ? use(door, context, secret!) : confirm(door, context, secret!),
    },
    {
      ...{ ...shared, path: outPath, methods: ['POST'] },
      answer: (context) =>
        forSignedInForm(door, context, async ({ owner, secret }, fields) => {
          if (fields.has('everywhere')) await signIns.endAll(door.idOf(owner));
          else await signIns.end(secret);
          await door.onChange?.(owner, 'signed_out');
          const given = new URLSearchParams({ done: 'signedOut' });
          return seeOther(context, path, { given, cookie: sessionCookie(context, cookie, null) });
        }),
    },
  ];
}

/** The frame of a page on the way in, and what it says. @param token of its form */
function openFrame<Owner>(
  { options, path, current, mail, textsIn }: Door<Owner>,
  context: PageContext,
  token = '',
): { readonly frame: SignInFrame; readonly way: SignInWay } {
  const frame = signInFrame(context, options, token);
  return { frame, way: { path, current, hasMail: mail !== null, texts: textsIn(frame.wording).signIn } };
}

/** The form that asks for a link. */
async function ask<Owner>(door: Door<Owner>, context: PageContext): Promise<HttpResponse> {
  if ((await door.signedIn(context)) !== null) return seeOther(context, door.homePath);
  const done = context.parameters.get('done');
  if (done === 'asked' && door.mail !== null) {
    const { frame, way } = openFrame(door, context);
    return pageAnswer(context, linkSentPage(frame, way), frame);
  }
  return askAgain(door, context, { ended: ENDED.find((one) => one === done) });
}

/** The purpose of the form that asks for a link. */
function askPurpose({ path }: Pick<Door<unknown>, 'path'>): string {
  return `ask for a link at ${path}`;
}

/** The form, with what was wrong with it. */
function askAgain<Owner>(
  door: Door<Owner>,
  context: PageContext,
  { sent = null, status = 200, ended }: AskParts,
): HttpResponse {
  const secret = pageSecret(context) ?? newPageSecret();
  const { frame, way } = openFrame(door, context, formToken(secret, askPurpose(door)));
  const said = ended === undefined ? null : way.texts[ended];
  const document = askPage({ ...frame, said }, way, sent);
  return pageAnswer(context, document, { ...frame, status, cookie: pageCookie(context, secret) });
}

interface AskParts {
  readonly sent?: Sent | null;
  readonly status?: number;
  /** How a session ended. */
  readonly ended?: (typeof ENDED)[number] | undefined;
}

/** Takes the wish for a link. Whether anybody has the address makes no difference here, not even in time. */
async function askedFor<Owner>(door: Door<Owner>, context: PageContext, limits: Limits): Promise<HttpResponse> {
  const fields = await readOwnForm(context, { secret: pageSecret(context), purpose: askPurpose(door) });
  const { mail, options, path } = door;
  if (mail === null) throw new GazetteError('not_found', 'links are not sent by e-mail here');
  const { frame, way } = openFrame(door, context);
  const refused = (status: number, text: string): HttpResponse =>
    askAgain(door, context, {
      status,
      sent: { fields, problem: { form: 'ask', field: 'email', text, detail: null } },
    });
  const email = addressIn(fields.get('email') ?? '');
  if (email === null) return refused(422, way.texts.emailError);
  const { remoteAddress } = context;
  if (remoteAddress !== null && !(await limits.take('address', remoteAddress)).isAllowed)
    return refused(429, way.texts.tooMany);
  const site = siteOf(context);
  mail.request(email, (links) =>
    signInMail(door.textsIn(frame.wording).mail, {
      service: options.service.title,
      links: links.map(({ id, secret }) => ({ id, url: `${site}${path}/${secret}` })),
    }),
  );
  return seeOther(context, path, { given: new URLSearchParams({ done: 'asked' }) });
}

/** An address as accounts and editors have it; null for a text that is none. */
function addressIn(text: string): string | null {
  try {
    return keptEmail(text.trim());
  } catch {
    // It is not an address: the form says so.
    return null;
  }
}

/** The page that a link leads to. It looks the link up and changes nothing. */
async function confirm<Owner>(door: Door<Owner>, context: PageContext, linkSecret: string): Promise<HttpResponse> {
  const owner = await door.signIns.ownerOfLink(linkSecret);
  if (owner === null) return ended(door, context);
  const secret = pageSecret(context) ?? newPageSecret();
  const { frame, way } = openFrame(door, context, formToken(secret, linkSecret));
  const document = confirmPage(frame, way, { path: `${door.path}/${linkSecret}`, name: door.idOf(owner) });
  return pageAnswer(context, document, { ...frame, cookie: pageCookie(context, secret) });
}

/** Uses a link up. The session is a new one, whatever the browser sent: nobody can have known its secret before. */
async function use<Owner>(door: Door<Owner>, context: PageContext, linkSecret: string): Promise<HttpResponse> {
  await readOwnForm(context, { secret: pageSecret(context), purpose: linkSecret });
  const { signIns, cookie, homePath } = door;
  const session = await signIns.begin(linkSecret);
  if (session === null) return ended(door, context);
  await door.onChange?.(session.owner, 'signed_in');
  const former = sessionSecret(context, cookie);
  if (former !== null) await signIns.end(former);
  return seeOther(context, homePath, { cookie: sessionCookie(context, cookie, session.secret) });
}

function ended<Owner>(door: Door<Owner>, context: PageContext): HttpResponse {
  const { frame, way } = openFrame(door, context);
  return pageAnswer(context, endedPage(frame, way), { ...frame, status: 410 });
}
