// A form that makes something secret carries a random name, so that a browser that sends it again, because somebody loaded
// the answer again, makes nothing more and shows nothing.
import { randomBytes } from 'node:crypto';
import { GazetteError } from '../../errors.ts';
import { againPage } from '../../templates/account/again-page.ts';
import type { OwnerFrame } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { pageAnswer, sessionFrame } from './answers.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

/** The name of one sending of a form. */
export function newOnce(): string {
  return randomBytes(16).toString('hex');
}

const NAME = /^[0-9a-f]{32}$/;

/**
 * Does what a form asks for, unless it was done.
 *
 * @param work gives the page that shows what was made
 * @throws GazetteError `form_expired` for a form without a name; any error of `work`, after which it can be sent again
 */
export async function once(
  services: OwnerServices,
  request: OwnerRequest,
  fields: URLSearchParams,
  work: () => Promise<(frame: OwnerFrame) => string>,
): Promise<HttpResponse> {
  const given = fields.get('once') ?? '';
  if (!NAME.test(given)) throw new GazetteError('form_expired', 'the form has no name of its own: load its page again');
  const name = `${request.account.id} ${given}`;
  const frame = sessionFrame(request, services);
  const { sentForms } = services;
  if (!sentForms.begin(name)) return pageAnswer(request.context, againPage(frame), { ...frame, status: 409 });
  try {
    const show = await work();
    return pageAnswer(request.context, show(frame), { ...frame, status: 201 });
  } catch (error) {
    sentForms.abandon(name);
    throw error;
  }
}
