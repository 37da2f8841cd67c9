// A route of the API, defined once: what it answers, who may ask, and what openapi.json and the reference say of it.
import type { RouteOf } from '../access/route.ts';
import type { RequestContext } from './request-context.ts';

/** A route. Those of other surfaces, which need to know less of a request, are routes too. */
export type Route = RouteOf<RequestContext>;

/** The methods of a route that only reads. */
export const READING: readonly string[] = ['GET', 'HEAD'];
