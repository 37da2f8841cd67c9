// A route of the API, defined once: its answer, its access tier, and its description in openapi.json and the reference.
import type { RouteOf } from '../access/route.ts';
import type { RequestContext } from './request-context.ts';

/** A route. Routes of other surfaces, which need less information about a request, can be used as well. */
export type Route = RouteOf<RequestContext>;

/** The methods of a read-only route. */
export const READING: readonly string[] = ['GET', 'HEAD'];
