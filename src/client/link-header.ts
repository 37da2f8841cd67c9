// The `Link` header as RFC 8288 writes it, read for one relation.

/** `<target>` and its parameters, a quoted value of which may hold anything. */
const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g;

const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i;

/**
 * The first target of a relation; null where the header names none.
 *
 * @example linkTarget('<https://example.org/2>; rel="next"', 'next') // 'https://example.org/2'
 */
export function linkTarget(header: string | null, relation: string): string | null {
  for (const [, target, parameters] of (header ?? '').matchAll(LINK)) {
    const match = REL.exec(parameters!);
    // RFC 8288 3.3: a list of relations, in any case.
    const relations = (match?.[1] ?? match?.[2] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target!;
  }
  return null;
}
