// `/account/deliveries`: the latest recorded outcome of each delivery, and every attempt of one.
import { deliveriesPage, deliveryPage } from '../../templates/account/delivery-pages.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageRoute } from '../services.ts';
import { doneAt, pageAnswer } from '../sign-in/answers.ts';
import { forOwner, forOwnersForm, sessionFrame } from './answers.ts';
import { foundBy } from './forms.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

const PATH = '/account/deliveries';

/** So many on a page. */
const PAGE = 50;

/** The pages of deliveries. */
export function deliveryRoutes(services: OwnerServices): readonly PageRoute[] {
  const shared = { access: 'public', documentation: null } as const;
  const routes: readonly PageRoute[] = [
    { ...shared, path: PATH, answer: (context) => forOwner(services, context, (request) => all(services, request)) },
    {
      ...{ ...shared, path: `${PATH}/{delivery_id}` },
      answer: (context, { delivery_id: id }) => forOwner(services, context, (request) => one(services, request, id!)),
    },
    {
      ...{ ...shared, path: `${PATH}/{delivery_id}/replay`, methods: ['POST'] },
      answer: (context, { delivery_id: id }) =>
        forOwnersForm(services, context, async ({ own }) => {
          const count = await own.replayDelivery(id!);
          return doneAt(context, `${PATH}/${id!}`, count === 0 ? 'replayedNot' : 'replayed');
        }),
    },
  ];
  return routes.map((route) => ({
    ...route,
    answer: (context, parameters) => foundBy(context, () => route.answer(context, parameters)),
  }));
}

async function all(services: OwnerServices, request: OwnerRequest): Promise<HttpResponse> {
  const { own, context } = request;
  const endpointId = context.parameters.get('endpoint');
  const before = context.parameters.get('before');
  const of = { ...(endpointId === null ? {} : { endpointId }) };
  // One more than are shown tells whether there are older ones.
  const found = await own.deliveries({ ...of, limit: PAGE + 1, ...(before === null ? {} : { before }) });
  const deliveries = found.slice(0, PAGE);
  const endpoints = new Map((await own.endpoints()).map(({ id, url }) => [id, url]));
  const chosen = endpointId === null ? {} : { endpoint: endpointId };
  const frame = sessionFrame(request, services);
  const document = deliveriesPage(frame, {
    ...{ deliveries, endpoints },
    older: found.length > PAGE ? new URLSearchParams({ ...chosen, before: deliveries.at(-1)!.id }) : null,
    newest: before === null ? null : new URLSearchParams(chosen),
  });
  return pageAnswer(context, document, frame);
}

async function one(services: OwnerServices, request: OwnerRequest, id: string): Promise<HttpResponse> {
  const { own, context } = request;
  const { delivery, attempts } = await own.delivery(id);
  const { url } = await own.endpoint(delivery.endpointId);
  const frame = sessionFrame(request, services, ({ wording }) => wording.account.deliveries);
  return pageAnswer(context, deliveryPage(frame, { delivery, attempts, url }), frame);
}
