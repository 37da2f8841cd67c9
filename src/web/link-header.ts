// Reads the target of one relation from a `Link` header (RFC 8288, Appendix B), in one pass.

/** `<target>`, after the comma that separates links. */
const TARGET = /[\s,]*<([^>]*)>/y;

/** A parameter: its name, and its value, which is quoted (and may contain anything) or plain. */
const PARAMETER = /\s*;\s*([^\s=;,]*)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,]*)))?/y;

/**
 * The first target of a relation; null if the header names none. A link with an `anchor` is not the page's own (RFC
 * 8288 3.2) and is skipped.
 *
 * @param relation in lower case
 * @example linkTarget('<https://example.org/2>; rel="next"', 'next') // 'https://example.org/2'
 */
export function linkTarget(header: string | null, relation: string): string | null {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header ?? '');
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (let link = take(TARGET); link !== null; link = take(TARGET)) {
    const parameters = new Map<string, string>();
    for (let found = take(PARAMETER); found !== null; found = take(PARAMETER)) {
      const [, name, quoted, plain] = found;
      const value = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
      // RFC 8288 3.3: the first of several counts.
      if (!parameters.has(name!.toLowerCase())) parameters.set(name!.toLowerCase(), value);
    }
    // RFC 8288 3.3: a list of relations, in upper or lower case.
    const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation) && !parameters.has('anchor')) return link[1]!;
  }
  return null;
}
