// `/account/keys`: the keys of an account. A new one is shown on the answer to its form, and on no other page.
import type { ApiKeyEntry } from '../../stores/contract/accounts.ts';
import type { KeySummary } from '../../templates/account/key-parts.ts';
import { keyPage, keysPage, newKeyPage } from '../../templates/account/key-pages.ts';
import type { Sent } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageRoute } from '../services.ts';
import { leftOfBudget } from '../../views/offers.ts';
import { doneAt } from '../sign-in/answers.ts';
import { notThere, sessionFrame } from './answers.ts';
import { dayIn, graceIn, keyFieldsIn } from './fields.ts';
import { collectionRoutes, formAnswer } from './forms.ts';
import { newOnce, once } from './once.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

const PATH = '/account/keys';

/** The pages of keys. */
export function keyRoutes(services: OwnerServices): readonly PageRoute[] {
  return collectionRoutes(services, {
    ...{ path: PATH, id: 'key_id' },
    all: (request, sent) => all(services, request, sent),
    one: (request, id, sent) => one(services, request, id, sent),
    add: { form: 'new-key', act: (request, _id, fields) => create(services, request, fields) },
    acts: {
      '': {
        form: 'key',
        act: async (request, id, fields) => {
          const { own, context } = request;
          await own.updateKey(id, keyFieldsIn(fields, currencyOf(request)));
          return doneAt(context, `${PATH}/${id}`, 'saved');
        },
      },
      '/rotate': { form: 'rotate-key', act: (request, id, fields) => rotate(services, request, id, fields) },
      '/revoke': {
        act: async ({ own, context }, id) => {
          await own.revokeKey(id);
          return doneAt(context, PATH, 'revoked');
        },
      },
    },
  });
}

/** All keys. @param sent a form for a new one that was refused */
async function all(services: OwnerServices, request: OwnerRequest, sent: Sent | null): Promise<HttpResponse> {
  const frame = sessionFrame(request, services, ({ wording }) => wording.account.keys);
  const [keys, registers] = await Promise.all([request.own.keys(), services.registers([])]);
  const shown = keys.map((entry) => shownKey(services, request, entry));
  const currency = currencyOf(request);
  const document = keysPage(frame, { keys: shown, registers, currency, once: newOnce(), sent });
  return formAnswer(request, document, { frame, sent });
}

async function one(
  services: OwnerServices,
  request: OwnerRequest,
  id: string,
  sent: Sent | null,
): Promise<HttpResponse> {
  const entry = (await request.own.keys()).find((key) => key.id === id && key.product === services.product);
  if (entry === undefined) throw notThere(request.context);
  const frame = sessionFrame(request, services, ({ wording }) => wording.account.keys);
  const key = shownKey(services, request, entry);
  const parts = {
    registers: await services.registers(entry.feeds ?? []),
    currency: currencyOf(request),
    once: newOnce(),
    sent,
  };
  const document = keyPage(frame, { key, ...parts });
  return formAnswer(request, document, { frame, sent });
}

function shownKey({ product, now }: OwnerServices, request: OwnerRequest, entry: ApiKeyEntry): KeySummary {
  const { budget } = entry;
  const currency = currencyOf(request);
  const left =
    budget === undefined || currency === null
      ? null
      : { currency, total: budget.budget - budget.spent, today: leftOfBudget(budget, now()) };
  return { entry, state: request.own.keyStateOf(entry), isOwn: entry.product === product, left };
}

/** The currency of the account's credit; null: it has none. */
function currencyOf({ account }: OwnerRequest): string | null {
  return account.balance?.currency ?? null;
}

function create(services: OwnerServices, request: OwnerRequest, fields: URLSearchParams): Promise<HttpResponse> {
  return once(services, request, fields, async (account) => {
    const { key } = await account.createKey({
      ...keyFieldsIn(fields, currencyOf(request)),
      expiresAt: dayIn(fields, 'expires') ?? null,
    });
    return (frame) => newKeyPage(frame, { key });
  });
}

function rotate(
  services: OwnerServices,
  request: OwnerRequest,
  id: string,
  fields: URLSearchParams,
): Promise<HttpResponse> {
  return once(services, request, fields, async (account) => {
    const graceMs = graceIn(fields);
    const { key, replaced } = await account.rotateKey(id, { graceMs });
    return (frame) => newKeyPage(frame, { key, replacedUntil: graceMs === 0 ? null : replaced.endsAt });
  });
}
