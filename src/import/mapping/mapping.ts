// `--map FIELD=SOURCE,…`: which part of a publisher's record fills which field. A source is a name, a path into the
// record, or a template; nothing else is computed.
import { GazetteError, quote } from '../../errors.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { isRawObject, type RawValue } from '../readers/raw-record.ts';
import { formatPath, parsePath, type ValuePath, valueAt } from '../readers/value-path.ts';

/** Where a field's value is found. */
export type MappingSource =
  | { readonly kind: 'path'; readonly path: ValuePath }
  | {
      readonly kind: 'template';
      /** Literal text and paths, alternating. */
      readonly parts: readonly (string | ValuePath)[];
      /** Whether the template is a URL, in which values are percent-encoded. */
      readonly url: boolean;
    };

/** One `FIELD=SOURCE`. */
export interface MappingRule {
  /** A core field's name, or `data.` and the name of a field of the definition. */
  readonly target: string;
  /** The source of its values. */
  readonly source: MappingSource;
  /** The source as written, for messages. */
  readonly written: string;
}

/** The core fields that a mapping can fill. The register sets the others. */
export const MAPPABLE_FIELDS: readonly string[] = CORE_FIELDS.filter(({ isMappable }) => isMappable).map(
  ({ name }) => name,
);

const DATA_TARGET = /^data\.[a-z][a-z0-9_]{0,63}$/;

/** A comma begins a new rule only before `name=`; any other comma belongs to the source. */
const RULE_BOUNDARY = /,(?=\s*[A-Za-z_]\w*(?:\.\w+)?\s*=)/;

/**
 * The rules of `--map` expressions, each with one or several `FIELD=SOURCE` separated by commas.
 *
 * A source is a property (`cveID`), a path (`meta.org.name`, `/meta/org.name`), or a template: any text with `{path}` in
 * it. In a template that starts with `http://` or `https://` the values are percent-encoded; `{{` and `}}` are braces.
 *
 * @throws GazetteError `invalid_mapping`, naming the expression and what was expected.
 * @example parseMapping(['id=cveID,source_url=https://nvd.nist.gov/vuln/detail/{cveID}'])
 */
export function parseMapping(expressions: readonly string[]): readonly MappingRule[] {
  const rules = expressions.flatMap((expression) => expression.split(RULE_BOUNDARY)).map(parseRule);
  const targets = new Set<string>();
  for (const { target } of rules) {
    if (targets.has(target)) throw invalid(`${target} is mapped twice`, target);
    targets.add(target);
  }
  return rules;
}

function parseRule(text: string): MappingRule {
  const equals = text.indexOf('=');
  const target = text.slice(0, equals).trim();
  const written = text.slice(equals + 1).trim();
  if (equals < 0 || target === '' || written === '') throw invalid(`expected FIELD=SOURCE, got ${quote(text)}`, text);
  if (!MAPPABLE_FIELDS.includes(target) && !DATA_TARGET.test(target)) {
    throw invalid(
      `${quote(target)} is no field; expected ${MAPPABLE_FIELDS.join(', ')}, or data.NAME (in a template write , before name= as %2C)`,
      text,
    );
  }
  return { target, source: parseSource(written, text), written };
}

function parseSource(written: string, text: string): MappingSource {
  const url = /^https?:\/\//i.test(written);
  if (!url && !/[{}]/.test(written)) return { kind: 'path', path: pathIn(written, text) };
  const parts: (string | ValuePath)[] = [];
  let literal = '';
  // `{{`, `}}`, `{path}`, a lone brace, or text without braces.
  for (const [token, path] of written.matchAll(/\{\{|\}\}|\{([^{}]+)\}|[{}]|[^{}]+/g)) {
    if (path !== undefined) {
      parts.push(literal, pathIn(path.trim(), text));
      literal = '';
    } else if (token === '{' || token === '}') {
      throw invalid(`unpaired ${token} in ${quote(written)}; a brace itself is written twice`, text);
    } else {
      literal += token === '{{' || token === '}}' ? token.charAt(0) : token;
    }
  }
  parts.push(literal);
  return { kind: 'template', parts, url };
}

function pathIn(written: string, text: string): ValuePath {
  const path = parsePath(written);
  if (path === null) throw invalid(`${quote(written)} is no path; expected names joined by single dots`, text);
  return path;
}

/**
 * The value of a source for one record; undefined if the record has none.
 *
 * @throws GazetteError `invalid_record` when a template needs a value that is absent, null, or not a scalar.
 */
export function readSource(rule: MappingRule, value: RawValue, where: string): RawValue | undefined {
  const { source } = rule;
  if (source.kind === 'path') return valueAt(value, source.path);
  let text = '';
  for (const part of source.parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const item = valueAt(value, part);
    if (item === undefined || item === null || typeof item === 'object') {
      const found = item === undefined ? 'is absent' : item === null ? 'is null' : `is ${kindOf(item)}`;
      throw unfit(rule.target, where, `${rule.target} needs ${quote(formatPath(part))}, which ${found}`);
    }
    const written = String(item);
    if (source.url && !written.isWellFormed()) {
      throw unfit(rule.target, where, `${rule.target} needs ${quote(formatPath(part))}, which is no Unicode text`);
    }
    text += source.url ? encodeURIComponent(written) : written;
  }
  return text;
}

/** A value's kind in words, with its article. */
export function kindOf(value: RawValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isRawObject(value)) return 'an object';
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'true or false' : 'a number';
}

function unfit(field: string, where: string, reason: string): GazetteError {
  return new GazetteError('invalid_record', `${where}: ${reason}`, { details: { where, field } });
}

function invalid(reason: string, expression: string): GazetteError {
  return new GazetteError('invalid_mapping', `the mapping is not valid: ${reason}`, {
    details: { expression: expression.slice(0, 200) },
  });
}
