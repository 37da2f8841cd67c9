// What pages say of prices: to strangers how to get access, to who is signed in what is left, and the form to buy a record with.
import { buyUrl, leftOf } from '../../views/offers.ts';
import type { RegisterView } from '../../views/registers.ts';
import type { BuyingOutcome, Offer, RecordOffer } from '../../templates/parts/offer.ts';
import { knownLanguage } from '../../templates/wording.ts';
import { LANGUAGE_PARAMETER, pathWith, rootOf } from '../frame.ts';
import type { PageContext, PageOptions, PageServices } from '../services.ts';
import { DONE_PARAMETER } from '../sign-in/answers.ts';
import { SESSION_FORMS } from '../sign-in/door.ts';
import { newOnce } from './once.ts';
import { formToken } from '../sign-in/session.ts';
import { ownersSecret } from './session.ts';
import { priceOf } from '../../money.ts';

const OUTCOMES: readonly BuyingOutcome[] = ['justBought', 'changed', 'refused'];

/** What the records of a register cost the reader; null: nothing is sold. */
export function offerFor(
  { service }: PageOptions,
  { access }: Pick<PageContext, 'access'>,
  { entry }: Pick<RegisterView, 'entry'>,
): Offer | null {
  const price = priceOf(entry.definition);
  if (price === null || access.tier === 'pro') return null;
  return { price, left: leftOf(access.buyer), keysUrl: service.keysUrl };
}

/** What a record costs the reader, and how it is bought; null: it is not sold. */
export async function recordOfferFor(
  { selling }: Pick<PageServices, 'selling'>,
  options: PageOptions,
  asked: {
    readonly context: PageContext;
    readonly view: RegisterView;
    readonly id: string;
    readonly isBought: boolean;
  },
): Promise<RecordOffer | null> {
  const { context, view, id, isBought } = asked;
  const offer = offerFor(options, context, view);
  if (offer === null) return null;
  const language = knownLanguage(context.parameters.get(LANGUAGE_PARAMETER));
  const at = (path: string, given?: URLSearchParams): string => rootOf(context) + pathWith(path, { language, given });
  const secret = ownersSecret(context);
  const isOwner = context.access.account !== undefined && secret !== null;
  const version = isOwner && !isBought && offer.left !== null ? await selling?.contentVersion(id) : undefined;
  const done = context.parameters.get(DONE_PARAMETER);
  return {
    ...offer,
    isBought,
    buyUrl: buyUrl(context.api, id),
    ledgerUrl: isOwner ? at('/account/ledger') : null,
    form:
      version == null || secret === null
        ? null
        : { at, token: formToken(secret, SESSION_FORMS), once: newOnce(), contentVersion: version },
    outcome: isOwner ? (OUTCOMES.find((name) => name === done) ?? null) : null,
  };
}
