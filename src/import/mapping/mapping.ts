// `--map FIELD=SOURCE,…`: which part of a publisher's record fills which field. A source is a name, a path into the
// record, or a template; nothing else is computed.
import { GazetteError, quote } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { CORE_FIELDS, GIVEN_FIELDS, RESERVED_FIELD_NAMES } from '../../register/fields.ts';
import type { CoreFieldName, RegisterDefinition } from '../../register/record.ts';
import { statementNames } from '../../register/declared-values.ts';
import type { RawValue } from '../readers/raw-record.ts';
import { type Place, parsePlace, placeAt } from '../readers/value-path.ts';
import { fillTemplate, isTemplate, parseTemplate, type Template } from './template.ts';

/** Where a field's value is found. */
export type MappingSource =
  { readonly kind: 'path'; readonly place: Place } | { readonly kind: 'template'; readonly template: Template };

/** One `FIELD=SOURCE`. */
export interface MappingRule {
  /**
   * A core field's name, or `data.` and the name of a field. Until the definition is known (see `resolveTargets()`), the
   * name of its field may stand alone.
   */
  readonly target: string;
  /** The source of its values. @internal */
  readonly source: MappingSource;
  /** The source as written, for messages. */
  readonly written: string;
}

/** The core fields that a mapping can fill. The register sets the others. */
export const MAPPABLE_FIELDS: readonly string[] = CORE_FIELDS.filter(({ isMappable }) => isMappable !== false).map(
  ({ name }) => name,
);

const OWN_TARGET = /^(?:data\.)?[a-z][a-z0-9_]{0,63}$/;

/** A comma begins a new rule only before `name=`; any other comma belongs to the source. */
const RULE_BOUNDARY = /,(?=\s*[\p{L}_][\p{L}\p{M}\p{N}_]*(?:\.[\p{L}\p{M}\p{N}_]+)?\s*=)/u;

/**
 * The rules of `--map` expressions, each with one or several `FIELD=SOURCE` separated by commas.
 *
 * A source is a property (`cveID`), a path (`meta.org.name`, `links.0.href`, `/meta/org.name`), or a template: any text
 * with `{path}` in it. In a template that starts with `http://` or `https://` the values are percent-encoded;
 * `{+path}` keeps the characters that have a meaning in URLs, `{path|none}` says what stands for an absent value, `{{`
 * and `}}` are braces.
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
  const isOwn = OWN_TARGET.test(target) && !RESERVED_FIELD_NAMES.has(target);
  if (!MAPPABLE_FIELDS.includes(target) && !isOwn) throw noField(target, null, text);
  return { target, source: parseSource(written, text), written };
}

function parseSource(written: string, text: string): MappingSource {
  if (!isTemplate(written)) return { kind: 'path', place: parsePlace(written) };
  return { kind: 'template', template: parseTemplate(written, (reason) => invalid(reason, text)) };
}

/**
 * The rules with `data.` before every field of the definition.
 *
 * @param definition null where the fields are yet to be found in the file: then only `data.NAME` names one.
 * @param keepsUndeclared whether `data.NAME` may name a field that the definition does not declare
 * @throws GazetteError `invalid_mapping` for a target that is not a field, with the nearest ones, or that is mapped twice.
 */
export function resolveTargets(
  rules: readonly MappingRule[],
  definition: Pick<RegisterDefinition, 'fields'> | null,
  keepsUndeclared = false,
): readonly MappingRule[] {
  const names = definition === null ? [] : definition.fields.flatMap(statementNames);
  const targets = new Set<string>();
  return rules.map((rule) => {
    const name = /^data\.(.*)$/.exec(rule.target)?.[1];
    const isDeclared = names.includes(name ?? rule.target);
    const mayBeUndeclared = name !== undefined && (definition === null || keepsUndeclared);
    if (!MAPPABLE_FIELDS.includes(rule.target) && !isDeclared && !mayBeUndeclared) {
      throw noField(rule.target, names, `${rule.target}=${rule.written}`);
    }
    const target = name === undefined && isDeclared ? `data.${rule.target}` : rule.target;
    if (targets.has(target)) throw invalid(`${rule.target} is mapped twice`, rule.target);
    targets.add(target);
    return { ...rule, target };
  });
}

/** @throws GazetteError `invalid_mapping` for a rule that fills what the register gives a record when it takes it in. */
export function checkImportable(mapping: readonly MappingRule[]): void {
  const isGiven = (name: string): boolean => GIVEN_FIELDS.includes(name as CoreFieldName);
  const rule = mapping.find(({ target }) => isGiven(target));
  if (rule === undefined) return;
  const fields = MAPPABLE_FIELDS.filter((name) => !isGiven(name));
  throw invalid(
    `${rule.target} is given by the register when it takes a version in; an import can map ${fields.join(', ')}, and data.NAME`,
    `${rule.target}=${rule.written}`,
  );
}

/** @throws GazetteError `invalid_mapping` for a rule that gives ids to records whose keys are made of their rows. */
export function checkRowMapping(mapping: readonly MappingRule[]): void {
  const rule = mapping.find(({ target }) => target === 'id');
  if (rule === undefined) return;
  throw invalid(
    `with the key row the keys are made of the rows, so id=${rule.written} says nothing`,
    `id=${rule.written}`,
  );
}

/**
 * The value of a source for one record; undefined if the record has none.
 *
 * @throws GazetteError `invalid_record` when a template needs a value that is absent, null, or not a scalar.
 */
export function readSource({ source, target }: MappingRule, value: RawValue, where: string): RawValue | undefined {
  if (source.kind === 'path') return placeAt(value, source.place);
  return fillTemplate(source.template, value, (reason) => {
    return new GazetteError('invalid_record', `${where}: ${target} ${reason}`, {
      details: { where, field: target },
    });
  });
}

/** The same; undefined also where a template does not fit the record, which is told when the record is read. */
export function findSource(rule: MappingRule, value: RawValue): RawValue | undefined {
  try {
    return readSource(rule, value, '');
  } catch (error) {
    if (error instanceof GazetteError) return undefined;
    throw error;
  }
}

/** @param names those of the definition's fields; null where they are not known yet */
function noField(target: string, names: readonly string[] | null, text: string): GazetteError {
  const near = nearest(target.replace(/^data\./, ''), [...MAPPABLE_FIELDS, ...(names ?? [])]);
  const nearWords = near.length === 0 ? '' : `, the nearest ${near.length === 1 ? 'is' : 'are'} ${near.join(', ')}`;
  const own = names === null || names.length === 0 ? '' : `, ${names.join(', ')} (the register’s own)`;
  return invalid(
    `${quote(target)} is not a field${nearWords}; expected ${MAPPABLE_FIELDS.join(', ')}${own}, or data.NAME (in a template write , before name= as %2C)`,
    text,
  );
}

function invalid(reason: string, expression: string): GazetteError {
  return new GazetteError('invalid_mapping', `the mapping is not valid: ${reason}`, {
    details: { expression: expression.slice(0, 200) },
  });
}
