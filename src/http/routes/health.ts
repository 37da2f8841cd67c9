// Health checks for operators: whether the process is alive, and whether it can answer.
import { GazetteError } from '../../errors.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { Route } from '../route.ts';
import type { RequestContext } from '../request-context.ts';
import { textBody } from '../service-context.ts';

/** Tells whether requests can be answered. */
export interface Readiness {
  /** False while the service is being stopped; rejects when the store does not answer. */
  isReady(): Promise<boolean>;
}

/** `/healthz` and `/readyz`, at the root. */
export function healthRoutes(readiness: Readiness): readonly Route[] {
  return [
    {
      path: '/healthz',
      access: 'public',
      documentation: null,
      isMetered: false,
      answer: (context) => alive(context),
    },
    {
      path: '/readyz',
      access: 'public',
      documentation: null,
      isMetered: false,
      async answer(context) {
        let isReady: boolean;
        try {
          isReady = await readiness.isReady();
        } catch (cause) {
          throw new GazetteError('not_ready', 'the store does not answer', { cause });
        }
        if (!isReady) throw new GazetteError('not_ready', 'the service is being stopped');
        return alive(context);
      },
    },
  ];
}

function alive({ request, headers }: RequestContext): HttpResponse {
  const { headers: described, body } = textBody('ok\n', 'text/plain; charset=utf-8');
  return {
    status: 200,
    headers: { ...headers, ...described, 'cache-control': 'no-store' },
    body: request.method === 'HEAD' ? null : body,
  };
}
