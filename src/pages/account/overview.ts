// `/account`: until when access runs, and how much was used.
import { overviewPage } from '../../templates/account/overview-page.ts';
import type { PageRoute } from '../services.ts';
import { pageAnswer } from '../sign-in/answers.ts';
import { forOwner, sessionFrame } from './answers.ts';
import type { OwnerServices } from './services.ts';

/** Of so many latest deliveries it says how many did not arrive. */
const DELIVERIES = 100;

/** `/account`. */
export function overviewRoute(services: OwnerServices): PageRoute {
  return {
    path: '/account',
    access: 'public',
    documentation: null,
    answer: (context) =>
      forOwner(services, context, async (request) => {
        const { own } = request;
        const [owned, keys, endpoints, deliveries] = await Promise.all([
          own.account(),
          own.keys(),
          own.endpoints(),
          own.deliveries({ limit: DELIVERIES }),
        ]);
        const frame = sessionFrame(request, services);
        const missed = deliveries.filter(({ state }) => state === 'failed' || state === 'skipped');
        const document = overviewPage(frame, {
          ...owned,
          keys: keys.filter((key) => ['active', 'rotated'].includes(own.keyStateOf(key))).length,
          endpoints: endpoints.length,
          missed: { count: missed.length, of: deliveries.length },
          renewUrl: services.options.service.keysUrl,
        });
        return pageAnswer(context, document, frame);
      }),
  };
}
