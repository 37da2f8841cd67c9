// `/account/deliveries`.
import { z } from 'zod';
import { toAttemptAnswer, toDeliveryAnswer } from '../../../operate/answers.ts';
import { oneAttempt } from '../../description/account-answers.ts';
import type { Route } from '../../route.ts';
import { noBody } from './bodies.ts';
import { accountRoute, type AccountServices, changeOperation, plainOperation } from './operations.ts';
import { deliveriesQuery, deliveryInPath } from './query.ts';
import { answer, delivery, replayed } from './answers.ts';

/** The deliveries to the account's endpoints. */
export function deliveryRoutes(services: AccountServices): readonly Route[] {
  const route = accountRoute.bind(null, services);
  return [
    route('/account/deliveries', 'webhooks', null, [
      plainOperation(
        'GET',
        {
          operationId: 'listDeliveries',
          summary: 'Deliveries',
          description:
            'Newest first, each with its latest recorded outcome. For more, ask with `before`, the id of the last one.',
          query: deliveriesQuery.schema,
          codes: ['unknown_endpoint'],
          response: answer('The deliveries.', z.object({ deliveries: z.array(delivery) })),
        },
        null,
        async (own, { parameters }) => {
          return { deliveries: (await own.deliveries(deliveriesQuery.read(parameters))).map(toDeliveryAnswer) };
        },
      ),
    ]),
    route('/account/deliveries/{id}', 'webhooks', deliveryInPath, [
      plainOperation(
        'GET',
        {
          operationId: 'getDelivery',
          summary: 'One delivery',
          description: 'With every attempt, oldest first.',
          codes: ['unknown_delivery'],
          response: answer('The delivery.', delivery.extend({ all_attempts: z.array(oneAttempt) })),
        },
        null,
        async (own, { id }) => {
          const { delivery: found, attempts } = await own.delivery(id);
          return { ...toDeliveryAnswer(found), all_attempts: attempts.map(toAttemptAnswer) };
        },
      ),
    ]),
    route('/account/deliveries/{id}/replay', 'webhooks', deliveryInPath, [
      changeOperation(
        {
          operationId: 'replayDelivery',
          summary: 'Send a delivery again',
          description: 'The same bytes under the same id, whatever became of it before.',
          codes: ['unknown_delivery'],
          response: answer('1; 0 while it is being sent.', replayed),
        },
        {
          status: 200,
          body: noBody,
          act: async (own, { id }) => ({ kept: await own.replayDelivery(id), secret: null }),
          show: (kept) => ({ replayed: kept }),
        },
      ),
    ]),
  ];
}
