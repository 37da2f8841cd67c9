// `--type FIELD=TYPE,…`: types that the caller says instead of those that are found.
import { GazetteError, quote } from '../../errors.ts';
import { FIELD_TYPES } from '../../register/definition.ts';
import type { FieldType, RegisterDefinition } from '../../register/record.ts';

/**
 * The types of `FIELD=TYPE` expressions, each with one or several separated by commas.
 *
 * @throws GazetteError `invalid_option`, naming the expression and what was expected.
 * @example parseTypes(['area=decimal,permit_no=text']).get('area') // 'decimal'
 */
export function parseTypes(expressions: readonly string[]): ReadonlyMap<string, FieldType> {
  const types = new Map<string, FieldType>();
  for (const part of expressions.flatMap((expression) => expression.split(','))) {
    const equals = part.lastIndexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    const said = part.slice(equals + 1).trim();
    const type = FIELD_TYPES.find((known) => known === said);
    if (name === '' || type === undefined) {
      throw invalid(`must be FIELD=TYPE with one of ${FIELD_TYPES.join(', ')}, got ${quote(part)}`);
    }
    if (types.has(name)) throw invalid(`${name} is given twice`);
    types.set(name, type);
  }
  return types;
}

/** @throws GazetteError `invalid_option` for a type that differs from what a register's definition declares. */
export function checkSaidTypes(types: ReadonlyMap<string, FieldType>, { id, fields }: RegisterDefinition): void {
  for (const [name, type] of types) {
    const field = fields.find((declared) => declared.name === name || declared.label === name);
    if (field?.type === type) continue;
    throw field === undefined
      ? invalid(`register ${quote(id)} declares no field ${name}; its fields are changed with a definition`)
      : invalid(
          `register ${quote(id)} declares ${field.name} as ${field.type}; change it with: gazette register retype ${id} ${field.name}=${type}`,
        );
  }
}

function invalid(reason: string): GazetteError {
  return new GazetteError('invalid_option', `type: ${reason}`, { details: { option: 'type' } });
}
