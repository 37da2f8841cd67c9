// What filters are called on a page, and what is wrong with a value that one cannot have.
import type { CountedField } from '../../../register/finding/filters.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { Frame } from '../../layout.ts';
import type { Texts } from '../../languages/en.ts';
import { markup, type Markup, NOTHING } from '../../markup.ts';
import { shortened } from '../excerpt.ts';

/** How long a value may be in the page, in bytes. */
const VALUE_BYTES = 240;

/** A value that a filter cannot have. */
export interface FilterFault {
  /** The filter. */
  readonly name: string;
  /** As it was asked for. */
  readonly value: string;
}

/** The name of a filter in the page's language; of an own field, as its register names it. */
export function labelOf(texts: Texts, name: string, { fields }: Pick<RegisterDefinition, 'fields'>): string {
  const { core, register, words } = texts;
  const [, own, bound] = OWN_FILTER.exec(name) ?? [];
  if (own !== undefined) {
    const label = fields.find((field) => field.name === own)?.label ?? name;
    return shortened(bound === undefined ? label : `${label} ${register[BOUNDS[bound]!]}`, 200);
  }
  const [, event, end] = /^(published|observed|updated)_(since|until)$/.exec(name) ?? [];
  if (event !== undefined) return `${core[`${event as 'published'}_at`]} ${register[end as 'since']}`;
  if (name === 'q') return words;
  return Object.hasOwn(core, name) ? core[name as CountedField] : name;
}

/** A filter of an own field. No name of a filterable field ends as the filters of ranges do. */
const OWN_FILTER = /^data\.(.*?)(?:_(since|until|min|max))?$/;

/** The words of the filters of ranges. */
const BOUNDS: Readonly<Record<string, 'since' | 'until' | 'minimum' | 'maximum'>> = {
  ...{ since: 'since', until: 'until', min: 'minimum', max: 'maximum' },
};

/** The id of the input of a range. */
export function inputId(name: string): string {
  return `f-${name.replaceAll(/[^a-z0-9_]/g, '-')}`;
}

/** What is wrong with a value. */
export function faultText(
  { register, ...texts }: Texts,
  { name, value }: FilterFault,
  definition: RegisterDefinition,
): string {
  const end = name.slice(name.lastIndexOf('_') + 1);
  const kind = ['since', 'until'].includes(end) ? 'date' : ['min', 'max'].includes(end) ? 'number' : 'other';
  return register.faults[kind](labelOf({ register, ...texts }, name, definition), shortened(value, VALUE_BYTES));
}

/** What is wrong with what was asked for, with the way to the field. */
export function faultNotes(
  { wording }: Frame,
  { definition, faults }: { readonly definition: RegisterDefinition; readonly faults: readonly FilterFault[] },
): Markup {
  const items = faults.map((fault) => {
    const text = faultText(wording.texts, fault, definition);
    const isInput = /_(?:since|until|min|max)$/.test(fault.name) && !/^(?:observed|updated)_/.test(fault.name);
    return markup`<p class="error">${isInput ? markup`<a href="#${inputId(fault.name)}">${text}</a>` : text}</p>\n`;
  });
  return items.length === 0 ? NOTHING : markup`<div class="note warn">\n${items}</div>\n`;
}
