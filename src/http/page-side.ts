// The pages for people beside the API: other routes, another way to know the sender, and errors that people can read.
import type { Access } from '../access/access.ts';
import type { Problem } from '../problem.ts';
import type { HttpResponse } from '../web/representation.ts';
import type { RequestContext } from './request-context.ts';
import type { Route } from './route.ts';

/**
 * Finds out who asks for a page: by the session that is in a cookie, never by `Authorization`. It never refuses a request:
 * a session that has ended is nobody's.
 */
export type Recognise = (context: Pick<RequestContext, 'request' | 'api'>) => Promise<Access>;

/** What an app needs of the pages. */
export interface PageSide {
  /** At the root. Query parameters that they do not know are ignored: shared links carry those of others. */
  readonly routes: readonly Route[];
  readonly recognise: Recognise;
  /** An error as a page. @param answer the same as the API answers it: the page has its status and header fields */
  refuse(context: RequestContext, problem: Problem, answer: HttpResponse): HttpResponse;
  /** The site's header, as HTML, for a page that is none of these routes. It has a link to the element `#content`. */
  header(context: Pick<RequestContext, 'api'>): string;
}
