// `/account/keys`: the keys of an account. A new one is shown on the answer to its form, and on no other page.
import { isGazetteError } from '../../errors.ts';
import type { ApiKeyEntry } from '../../stores/contract/accounts.ts';
import type { ShownKey } from '../../templates/account/key-parts.ts';
import { keyPage, keysPage, newKeyPage } from '../../templates/account/key-pages.ts';
import type { Sent } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageRoute } from '../services.ts';
import { doneAt, forOwner, forOwnersForm, notThere, pageAnswer, sessionFrame } from './answers.ts';
import { dayIn, graceIn, keyFieldsIn, problemOf } from './fields.ts';
import { newOnce, once } from './once.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

const PATH = '/account/keys';

/** The pages of keys. */
export function keyRoutes(services: OwnerServices): readonly PageRoute[] {
  const shared = { access: 'public', documentation: null } as const;
  const changing = (
    path: string,
    change: (request: OwnerRequest, id: string, fields: URLSearchParams) => Promise<HttpResponse>,
  ): PageRoute => ({
    ...{ ...shared, path: `${PATH}/{key_id}${path}`, methods: path === '' ? ['GET', 'HEAD', 'POST'] : ['POST'] },
    answer: (context, { key_id: id }) =>
      context.request.method === 'POST'
        ? forOwnersForm(services, context, (request, fields) => change(request, id!, fields))
        : forOwner(services, context, (request) => one(services, request, id!, null)),
  });
  return [
    {
      ...{ ...shared, path: PATH, methods: ['GET', 'HEAD', 'POST'] },
      answer: (context) =>
        context.request.method === 'POST'
          ? forOwnersForm(services, context, (request, fields) => create(services, request, fields))
          : forOwner(services, context, (request) => all(services, request, null)),
    },
    changing('', async (request, id, fields) => {
      const refused = formOf(services, request, 'key', fields);
      return refused(
        async () => {
          await own(request, () => request.own.updateKey(id, keyFieldsIn(fields)));
          return doneAt(request.context, `${PATH}/${id}`, 'saved');
        },
        (sent) => one(services, request, id, sent),
      );
    }),
    changing('/rotate', (request, id, fields) => rotate(services, request, id, fields)),
    changing('/revoke', async (request, id) => {
      await own(request, () => request.own.revokeKey(id));
      return doneAt(request.context, PATH, 'revoked');
    }),
  ];
}

/** All keys. @param sent a form for a new one that was refused */
async function all(services: OwnerServices, request: OwnerRequest, sent: Sent | null): Promise<HttpResponse> {
  const frame = sessionFrame(request, services, ({ wording }) => wording.account.keys);
  const [keys, registers] = await Promise.all([request.own.keys(), services.registers()]);
  const shown = keys.map((entry) => shownKey(services, request, entry));
  const document = keysPage(frame, { keys: shown, registers, once: newOnce(), sent });
  return pageAnswer(request.context, document, { ...frame, status: sent === null ? 200 : 422 });
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
  const document = keyPage(frame, { key, registers: await services.registers(), once: newOnce(), sent });
  return pageAnswer(request.context, document, { ...frame, status: sent === null ? 200 : 422 });
}

function shownKey({ product }: OwnerServices, { own: account }: OwnerRequest, entry: ApiKeyEntry): ShownKey {
  return { entry, state: account.keyStateOf(entry), isOwn: entry.product === product };
}

async function create(services: OwnerServices, request: OwnerRequest, fields: URLSearchParams): Promise<HttpResponse> {
  return formOf(
    services,
    request,
    'new-key',
    fields,
  )(
    () =>
      once(services, request, fields, async (account) => {
        const { key } = await account.createKey({
          ...keyFieldsIn(fields),
          expiresAt: dayIn(fields, 'expires') ?? null,
        });
        return (frame) => newKeyPage(frame, { key });
      }),
    (sent) => all(services, request, sent),
  );
}

async function rotate(
  services: OwnerServices,
  request: OwnerRequest,
  id: string,
  fields: URLSearchParams,
): Promise<HttpResponse> {
  return formOf(
    services,
    request,
    'rotate-key',
    fields,
  )(
    () =>
      own(request, () =>
        once(services, request, fields, async (account) => {
          const graceMs = graceIn(fields);
          const { key, replaced } = await account.rotateKey(id, { graceMs });
          return (frame) => newKeyPage(frame, { key, replacedUntil: graceMs === 0 ? null : replaced.endsAt });
        }),
      ),
    (sent) => one(services, request, id, sent),
  );
}

/** What is not among the keys of the account is not there. */
async function own<T>({ context }: OwnerRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isGazetteError(error, 'unknown_key') ? notThere(context) : error;
  }
}

/** Does what a form asks for, or shows the form again with what is wrong. */
export function formOf(
  services: OwnerServices,
  request: OwnerRequest,
  form: string,
  fields: URLSearchParams,
): (work: () => Promise<HttpResponse>, again: (sent: Sent) => Promise<HttpResponse>) => Promise<HttpResponse> {
  return async (work, again) => {
    try {
      return await work();
    } catch (error) {
      const { account: texts } = sessionFrame(request, services).wording;
      return again({ fields, problem: problemOf(error, { form, fields, texts }) });
    }
  };
}
