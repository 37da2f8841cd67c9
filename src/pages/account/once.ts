// A form that makes something secret carries a random name, as programs send an Idempotency-Key. A browser that sends it
// again, because somebody loaded the answer again, makes nothing more and sees nothing, whichever process answers.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { GazetteError } from '../../errors.ts';
import type { OwnAccount } from '../../operate/own-account.ts';
import { againPage } from '../../templates/account/again-page.ts';
import type { OwnerFrame } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { pageAnswer } from '../sign-in/answers.ts';
import { sessionFrame } from './answers.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

/** The name of one sending of a form. */
export function newOnce(): string {
  return randomBytes(16).toString('hex');
}

const NAME = /^[0-9a-f]{32}$/;

/** The name that a form carries. @throws GazetteError `form_expired` for a form without one */
export function onceIn(fields: URLSearchParams): string {
  const name = fields.get('once') ?? '';
  if (NAME.test(name)) return name;
  throw new GazetteError('form_expired', 'the form has no name of its own: load its page again');
}

/** Names of programs and of forms are apart. */
const ROUTE = 'page';

/** Forms are remembered for so long. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Longer than the longest: looking up where an endpoint is. */
const ATTEMPT_MS = 120_000;

/**
 * Does what a form asks for, unless it was done.
 *
 * @param work makes its one change through the account that it is given, and gives the page that shows what was made
 * @throws GazetteError `form_expired` for a form without a name; any error of `work`, after which it can be sent again
 */
export async function once(
  services: OwnerServices,
  request: OwnerRequest,
  fields: URLSearchParams,
  work: (own: OwnAccount) => Promise<(frame: OwnerFrame) => string>,
): Promise<HttpResponse> {
  const { account, context } = request;
  const { idempotency, ownAccount, now } = services;
  const key = onceIn(fields);
  const frame = sessionFrame(request, services);
  const token = randomUUID();
  const time = (offsetMs: number): string => new Date(now() + offsetMs).toISOString();
  const { kind } = await idempotency.begin({
    ...{ accountId: account.id, route: ROUTE, key, token },
    digest: createHash('sha256').update(`${context.path}\n${fields.toString()}`).digest(),
    ...{ at: time(0), until: time(ATTEMPT_MS), forgetBefore: time(-KEPT_MS) },
  });
  if (kind !== 'begun') return pageAnswer(context, againPage(frame), { ...frame, status: 409 });
  try {
    const show = await work(ownAccount(account.id, null, idempotency.ending(token)));
    return pageAnswer(context, show(frame), { ...frame, status: 201 });
  } catch (error) {
    await idempotency.abandon(token);
    throw error;
  }
}
