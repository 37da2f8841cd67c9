// How `--map` names the columns of a file: as a source, and in a template.
import { type MappingRule, parseMapping } from '../mapping/mapping.ts';
import { formatPath, type Place, placeAt } from '../readers/value-path.ts';

/** Whether a rule takes a column, whole or in a template. */
export function usesColumn({ source }: MappingRule, column: string): boolean {
  if (source.kind === 'path') return reads(source.place, column);
  return source.template.parts.some((part) => typeof part === 'object' && reads(part.place, column));
}

/** How `--map` names a column; null for a name that it cannot say. */
export function sourceOf(target: string, column: string): string | null {
  const isSaid = (written: string): boolean => {
    const rules = parsed(`${target}=${written}`);
    return rules.length === 1 && readsColumn(rules[0]!, column);
  };
  return waysToName(column).find(isSaid) ?? null;
}

/** How a template names a column; null for a name that it cannot say. */
export function slotOf(column: string): string | null {
  const isSaid = (written: string): boolean => {
    const [rule, more] = parsed(`title={${written}}`);
    if (rule?.source.kind !== 'template' || more !== undefined) return false;
    const [, slot, last] = rule.source.template.parts;
    return (
      typeof slot === 'object' &&
      last === '' &&
      slot.fallback === null &&
      !slot.keepsReserved &&
      reads(slot.place, column)
    );
  };
  return waysToName(column).find(isSaid) ?? null;
}

function waysToName(column: string): readonly string[] {
  const pointer = formatPath(['', column]).slice(1);
  return [column, pointer];
}

function parsed(expression: string): readonly MappingRule[] {
  try {
    return parseMapping([expression]);
  } catch {
    // A name with signs that mean something in a mapping.
    return [];
  }
}

/** Whether a rule takes this column whole. */
export function readsColumn({ source }: MappingRule, column: string): boolean {
  return source.kind === 'path' && reads(source.place, column);
}

function reads(place: Place, column: string): boolean {
  return placeAt({ [column]: true }, place) === true;
}
