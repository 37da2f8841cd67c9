// `/account/endpoints`.
import { z } from 'zod';
import { toDeliveryAnswer, toEndpointAnswer } from '../../../operate/answers.ts';
import type { Route } from '../../route.ts';
import { activationBody, endpointChangeBody, newEndpointBody, noBody, replayBody, testBody } from './bodies.ts';
import { accountRoute, type AccountServices, changeOperation, plainOperation } from './operations.ts';
import { endpointInPath } from './query.ts';
import { answer, delivery, endpoint, newEndpoint, replayed } from './answers.ts';

/** The endpoints of the account. */
export function endpointRoutes(services: AccountServices): readonly Route[] {
  const route = accountRoute.bind(null, services);
  return [
    route('/account/endpoints', 'webhooks', null, [
      plainOperation(
        'GET',
        {
          operationId: 'listEndpoints',
          summary: 'All endpoints',
          description: 'Where events go, in the order of their creation.',
          response: answer('The endpoints.', z.object({ endpoints: z.array(endpoint) })),
        },
        null,
        async (own) => ({ endpoints: (await own.endpoints()).map(toEndpointAnswer) }),
      ),
      changeOperation(
        {
          operationId: 'addEndpoint',
          summary: 'Add an endpoint',
          description: 'It is sent events about what is committed from now on. Its signing secret is shown this once.',
          codes: ['destination_refused', 'no_secrets_key'],
          response: answer('The endpoint.', newEndpoint),
        },
        {
          status: 201,
          body: newEndpointBody,
          secretName: 'secret',
          act: async (own, { input }) => {
            const { endpoint: kept, secret } = await own.addEndpoint(input);
            return { kept, secret };
          },
          show: toEndpointAnswer,
        },
      ),
    ]),
    route('/account/endpoints/{id}', 'webhooks', endpointInPath, [
      plainOperation(
        'GET',
        {
          operationId: 'getEndpoint',
          summary: 'One endpoint',
          description: 'Where its events go, and whether they arrive.',
          codes: ['unknown_endpoint'],
          response: answer('The endpoint.', endpoint),
        },
        null,
        async (own, { id }) => toEndpointAnswer(await own.endpoint(id)),
      ),
      plainOperation(
        'PATCH',
        {
          operationId: 'updateEndpoint',
          summary: 'Change an endpoint',
          description: 'What is given: its address, what it is sent, whether it is enabled. Its secret stays.',
          codes: ['unknown_endpoint', 'destination_refused'],
          response: answer('The endpoint.', endpoint),
        },
        endpointChangeBody,
        async (own, { id, input }) => {
          const { change = {}, enabled } = input ?? {};
          const changed = await own.updateEndpoint(id, change);
          return toEndpointAnswer(enabled === undefined ? changed : await own.setEnabled(id, enabled));
        },
      ),
      plainOperation(
        'DELETE',
        {
          operationId: 'removeEndpoint',
          summary: 'Remove an endpoint',
          description: 'With its deliveries.',
          codes: ['unknown_endpoint'],
          response: answer('The endpoint as it was.', endpoint),
        },
        null,
        async (own, { id }) => {
          const removed = await own.endpoint(id);
          await own.removeEndpoint(id);
          return toEndpointAnswer(removed);
        },
      ),
    ]),
    route('/account/endpoints/{id}/test', 'webhooks', endpointInPath, [
      changeOperation(
        {
          operationId: 'testEndpoint',
          summary: 'Send a test',
          description:
            'An event `endpoint.test`, or an invented one of another type. Its delivery tells what became of it.',
          codes: ['unknown_endpoint'],
          response: answer('The delivery.', delivery),
        },
        {
          status: 201,
          body: testBody,
          act: async (own, { id, input }) => ({ kept: await own.testEndpoint(id, input), secret: null }),
          show: toDeliveryAnswer,
        },
      ),
    ]),
    route('/account/endpoints/{id}/rotate-secret', 'webhooks', endpointInPath, [
      changeOperation(
        {
          operationId: 'rotateSecret',
          summary: 'Prepare a new secret',
          description: 'It is shown this once, and signs once it is activated. Let your receiver accept both before.',
          codes: ['unknown_endpoint', 'no_secrets_key'],
          response: answer('The endpoint.', newEndpoint),
        },
        {
          status: 201,
          body: noBody,
          secretName: 'secret',
          act: async (own, { id }) => {
            const { endpoint: kept, secret } = await own.prepareSecret(id);
            return { kept, secret };
          },
          show: toEndpointAnswer,
        },
      ),
    ]),
    route('/account/endpoints/{id}/activate-secret', 'webhooks', endpointInPath, [
      changeOperation(
        {
          operationId: 'activateSecret',
          summary: 'Use the new secret',
          description: 'Deliveries are signed with the prepared secret from now on.',
          codes: ['unknown_endpoint', 'no_next_secret'],
          response: answer('The endpoint.', endpoint),
        },
        {
          status: 200,
          body: activationBody,
          act: async (own, { id, input }) => ({ kept: await own.activateSecret(id, input), secret: null }),
          show: toEndpointAnswer,
        },
      ),
    ]),
    route('/account/endpoints/{id}/replay', 'webhooks', endpointInPath, [
      changeOperation(
        {
          operationId: 'replayEndpoint',
          summary: 'Send deliveries again',
          description: 'All to this endpoint that failed or were skipped, or all there are.',
          codes: ['unknown_endpoint'],
          response: answer('How many.', replayed),
        },
        {
          status: 200,
          body: replayBody,
          act: async (own, { id, input }) => {
            return { kept: { replayed: await own.replayEndpoint(id, input) }, secret: null };
          },
          show: ({ replayed }) => ({ replayed }),
        },
      ),
    ]),
  ];
}
