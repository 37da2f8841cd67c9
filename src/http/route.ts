// A route of the API, defined once: its answer, its access tier, and its description in openapi.json and the reference; and
// which one a path leads to.
import type { RouteOf } from '../access/route.ts';
import { unescaped } from '../web/incoming-request.ts';
import type { RequestContext } from './request-context.ts';

/** A route. Routes of other surfaces, which need less information about a request, can be used as well. */
export type Route = RouteOf<RequestContext>;

/** The methods of a read-only route. */
export const READING: readonly string[] = ['GET', 'HEAD'];

/** What a path leads to, and its parameters without their escapes. */
export interface Found<T> {
  readonly value: T;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Returns a function that says what a path leads to; null: nothing. A path without parameters goes before one with them.
 *
 * @param entries paths with what they lead to. `{name}` is a parameter: a segment or the end of one, which is not empty
 * @example pathTable([['/feeds/{feed_id}', 1]])('/feeds/permits'); // { value: 1, parameters: { feed_id: 'permits' } }
 */
export function pathTable<T>(entries: Iterable<readonly [path: string, value: T]>): (path: string) => Found<T> | null {
  const fixed = new Map<string, Found<T>>();
  const patterns: { readonly path: string; readonly pattern: RegExp; readonly value: T }[] = [];
  for (const [path, value] of entries) {
    if (path.includes('{')) patterns.push({ path, pattern: patternOf(path), value });
    else fixed.set(path, { value, parameters: {} });
  }
  // `{` sorts behind letters and full stops: `/records/export.{format}` is asked before `/records/{record_id}`.
  patterns.sort((a, b) => (a.path < b.path ? -1 : 1));
  return (path) => {
    const found = fixed.get(path);
    if (found !== undefined) return found;
    for (const { pattern, value } of patterns) {
      const groups = pattern.exec(path)?.groups;
      if (groups === undefined) continue;
      const parameters = Object.entries(groups).map(([name, text]) => [name, unescaped(text)] as const);
      return { value, parameters: Object.fromEntries(parameters) };
    }
    return null;
  };
}

function patternOf(path: string): RegExp {
  const source = path.replaceAll('.', String.raw`\.`).replaceAll(/\{([a-z_]+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}
