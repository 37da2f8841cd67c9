// `/account/endpoints`: the webhook endpoints of an account. A secret is shown on the answer to its form, and on no other
// page.
import type { EndpointUpdate } from '../../operate/endpoints.ts';
import type { WebhookEndpoint } from '../../stores/contract/endpoints.ts';
import {
  endpointPage,
  endpointsPage,
  secretPage,
  type EndpointSummary,
} from '../../templates/account/endpoint-pages.ts';
import type { Sent } from '../../templates/account/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { EVENT_TYPES } from '../../webhooks/event.ts';
import type { PageRoute } from '../services.ts';
import { doneAt } from '../sign-in/answers.ts';
import { sessionFrame } from './answers.ts';
import { dayIn, feedsIn, filterLines, filtersIn, graceIn } from './fields.ts';
import { type Collection, collectionRoutes, formAnswer } from './forms.ts';
import { newOnce, once } from './once.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

const PATH = '/account/endpoints';

/** So many deliveries are shown with their endpoint. */
const LATEST = 5;

/** The pages of endpoints. */
export function endpointRoutes(services: OwnerServices): readonly PageRoute[] {
  const done = async ({ context }: OwnerRequest, id: string, what: string): Promise<HttpResponse> =>
    doneAt(context, `${PATH}/${id}`, what);
  const acts: Collection['acts'] = {
    '': {
      form: 'endpoint',
      act: async (request, id, fields) => {
        await request.own.updateEndpoint(id, endpointIn(fields));
        return done(request, id, 'saved');
      },
    },
    '/test': {
      act: async (request, id) => {
        await request.own.testEndpoint(id);
        return done(request, id, 'tested');
      },
    },
    '/disable': {
      act: async (request, id) => {
        await request.own.setEnabled(id, false);
        return done(request, id, 'disabled');
      },
    },
    '/enable': {
      act: async (request, id) => {
        await request.own.setEnabled(id, true);
        return done(request, id, 'enabled');
      },
    },
    '/remove': {
      act: async (request, id) => {
        await request.own.removeEndpoint(id);
        return doneAt(request.context, PATH, 'removed');
      },
    },
    '/rotate-secret': {
      form: 'prepare-secret',
      act: (request, id, fields) =>
        once(services, request, fields, async (account) => {
          const issued = await account.prepareSecret(id);
          return (frame) => secretPage(frame, { ...issued, isFirst: false });
        }),
    },
    '/activate-secret': {
      form: 'activate-secret',
      act: async (request, id, fields) => {
        await request.own.activateSecret(id, { graceMs: graceIn(fields) });
        return done(request, id, 'activatedNow');
      },
    },
    '/replay': {
      form: 'replay-endpoint',
      act: async (request, id, fields) => {
        const since = dayIn(fields, 'since');
        const count = await request.own.replayEndpoint(id, since === undefined ? {} : { since });
        return doneAt(request.context, `${PATH}/${id}`, replayedText(count), count);
      },
    },
  };
  return collectionRoutes(services, {
    ...{ path: PATH, id: 'endpoint_id', acts },
    all: (request, sent) => all(services, request, sent),
    one: (request, id, sent) => one(services, request, id, sent),
    add: { form: 'new-endpoint', act: (request, _id, fields) => add(services, request, fields) },
  });
}

function replayedText(count: number): string {
  if (count === 0) return 'replayedNone';
  return count === 1 ? 'replayedOne' : 'replayed';
}

/** All endpoints. @param sent a form for a new one that was refused */
async function all(services: OwnerServices, request: OwnerRequest, sent: Sent | null): Promise<HttpResponse> {
  const frame = sessionFrame(request, services, ({ wording }) => wording.account.endpoints);
  const [endpoints, registers] = await Promise.all([request.own.endpoints(), services.registers([])]);
  const document = endpointsPage(frame, {
    ...{ endpoints: endpoints.map(shownEndpoint), registers, types: EVENT_TYPES, once: newOnce(), sent },
  });
  return formAnswer(request, document, { frame, sent });
}

async function one(
  services: OwnerServices,
  request: OwnerRequest,
  id: string,
  sent: Sent | null,
): Promise<HttpResponse> {
  const { own } = request;
  const endpoint = await own.endpoint(id);
  const [deliveries, registers] = await Promise.all([
    own.deliveries({ endpointId: id, limit: LATEST }),
    services.registers(endpoint.feeds ?? []),
  ]);
  const frame = sessionFrame(request, services, ({ wording }) => wording.account.endpoints);
  const document = endpointPage(frame, {
    ...{ ...shownEndpoint(endpoint), deliveries, registers, types: EVENT_TYPES, once: newOnce(), sent },
  });
  return formAnswer(request, document, { frame, sent });
}

function shownEndpoint(endpoint: WebhookEndpoint): EndpointSummary {
  return { endpoint, lines: filterLines(endpoint.filter) };
}

function add(services: OwnerServices, request: OwnerRequest, fields: URLSearchParams): Promise<HttpResponse> {
  return once(services, request, fields, async (account) => {
    const issued = await account.addEndpoint(endpointIn(fields));
    return (frame) => secretPage(frame, { ...issued, isFirst: true });
  });
}

/** What a form says of an endpoint. @throws GazetteError `invalid_option` */
function endpointIn(fields: URLSearchParams): Required<EndpointUpdate> {
  return {
    url: (fields.get('url') ?? '').trim(),
    feeds: feedsIn(fields),
    types: fields.getAll('types'),
    filters: filtersIn(fields),
    isStandard: fields.has('standard'),
  };
}
