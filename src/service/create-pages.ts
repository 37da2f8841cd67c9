// The pages of a service: the readers' over its registers, with the way in which it knows who asks.
import { PUBLIC_ACCESS } from '../access/access.ts';
import type { Format } from '../formats/format.ts';
import type { Publication } from '../http/description/publication.ts';
import type { PageSide } from '../http/page-side.ts';
import type { ServiceContext } from '../http/service-context.ts';
import { pageRoutes, refusePage } from '../pages/routes.ts';
import type { PageOptions } from '../pages/services.ts';

/** What the pages show of the service. */
export interface PagesOptions extends Publication {
  readonly formats: readonly Format[];
}

/** Creates them. */
export function createPages(service: ServiceContext, { formats, ...publication }: PagesOptions): PageSide {
  const options: PageOptions = { service: publication, formats, hasAccounts: false };
  return {
    routes: pageRoutes(service, options),
    recognise: () => Promise.resolve(PUBLIC_ACCESS),
    refuse: (context, problem, answer) => refusePage(context, problem, answer, options),
  };
}
