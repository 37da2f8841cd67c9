// The pages for people. A page is a route like those of the API, at the root: templates/ writes what this room reads.
import type { Problem } from '../problem.ts';
import { errorPage } from '../templates/error-page.ts';
import type { HttpResponse } from '../web/representation.ts';
import { assetsRoute } from './assets.ts';
import { FoundValues } from './found.ts';
import { figuresRoute } from './figures.ts';
import { frameOf, isPlain, pageBody } from './frame.ts';
import { guideRoute } from './guide.ts';
import { homeRoute } from './home.ts';
import { recordRoute } from './record.ts';
import { registerRoute, wholeRegisterRoute } from './register.ts';
import { siteFileRoutes } from './site-files.ts';
import { valuesRoute } from './values.ts';
import type { PageContext, PageOptions, PageRoute, PageServices } from './services.ts';

/** All pages for readers. */
export function pageRoutes(services: PageServices, options: PageOptions): readonly PageRoute[] {
  const values = new FoundValues(services);
  return [
    homeRoute(services, options),
    registerRoute(services, options, values),
    valuesRoute(services, options, values),
    figuresRoute(services, options),
    wholeRegisterRoute(options),
    recordRoute(services, options),
    guideRoute(services, options),
    ...siteFileRoutes(services, options),
    assetsRoute,
  ];
}

/** An error as a page, with the status and the header fields of the API's answer. */
export function refusePage(
  context: PageContext,
  problem: Problem,
  answer: HttpResponse,
  options: PageOptions,
): HttpResponse {
  const isRead = context.request.method === 'GET' || context.request.method === 'HEAD';
  const frame = frameOf(context, options, isRead && isPlain(context) ? {} : { parameters: null });
  const { headers, body } = pageBody(errorPage(frame, problem, options.service.keysUrl), {
    language: frame.wording.language,
  });
  return {
    status: answer.status,
    headers: { ...answer.headers, ...headers },
    body: context.request.method === 'HEAD' ? null : body,
  };
}
