// Figures: what is asked of many records at once, such as the sum of a field for each value of another one, and the answer. This
// file checks the question; figures-tally.ts evaluates it.
import { GazetteError, quote, shorten } from '../../errors.ts';
import { isWhole } from '../../checks.ts';
import { nearest } from '../../nearest.ts';
import type { Field, FieldType } from '../record.ts';
import { facetNames, MAX_FACET_VALUES } from './facets.ts';
import { STATED_FILTERS, TIME_FIELDS } from './filters.ts';
import { OWN_PREFIX } from './own-filters.ts';

/** How groups follow each other: by falling value, by rising value, or by what they share. Those without a value come last. */
export const FIGURE_ORDERS = ['-value', 'value', 'key'] as const;

/** One of {@link FIGURE_ORDERS}. */
export type FigureOrder = (typeof FIGURE_ORDERS)[number];

/** What is measured. */
export const MEASURES = ['count', 'sum', 'min', 'max', 'avg'] as const;

/** One of {@link MEASURES}. */
export type Measure = (typeof MEASURES)[number];

/** By what dates are grouped, in UTC. */
export const DATE_UNITS = ['year', 'month', 'day'] as const;

/** By how many fields records are grouped at most. */
export const MAX_GROUPED_BY = 2;

/** How many groups of a whole answer are told at most, those that come first. */
export const MAX_FIGURES: number = MAX_FACET_VALUES;

/** How many groups a part has at most; where a single page of records has more, as many as that. */
export const MAX_PART_FIGURES = 1000;

/** The question. */
export interface FiguresQuestion {
  /** `count` (the default), or `sum:`, `min:`, `max:`, `avg:` and a field as filters name it. */
  readonly measure?: string;
  /** The fields whose values make groups, at most two; a date may end with `:year`, `:month`, `:day`. Default: all records are one group. */
  readonly by?: readonly string[];
  /** Default `-value`. */
  readonly order?: string;
  /** How many groups are told, 1 to 100, the default. */
  readonly top?: number;
}

/** A group of records, and its figure. */
export interface Figure {
  /** The values that its records share, as records show them, one for each field of `by`. */
  readonly group: readonly string[];
  /** How many records. */
  readonly records: number;
  /** What is measured but for counts: an exact decimal, or a date as the record has it. Null: none of the records has a value. */
  readonly value?: string | null;
  /** For averages: the exact sum. Null as the value. */
  readonly sum?: string | null;
  /** For measures but counts: how many of the records have a value. */
  readonly measured?: number;
  /** The ids of up to three of the records, the newest; for `min` and `max`, of those with that value. */
  readonly record_ids: readonly string[];
  /** Where the publisher has the first of them, to cite. Null: there is none. */
  readonly url: string | null;
}

/** The answer. */
export interface Figures {
  readonly measure: string;
  readonly by: readonly string[];
  readonly order: FigureOrder;
  /** Where complete: the first in the order that was asked for. Else: all that were met, in no order, to be added up with the other parts. */
  readonly groups: readonly Figure[];
  /** How many more groups there are. */
  readonly more: number;
  /** How many records matched. */
  readonly matched: number;
  /** How many of them are in no group, because they lack a value that makes one. Null: the counters do not tell. */
  readonly ungrouped: number | null;
  /** Whether all records of the view were examined, so that each figure is exact. */
  readonly complete: boolean;
  /** Where to go on: so many positions below the top of the view were examined, of `as_of`. Null: to the end. */
  readonly next_offset: number | null;
  /** The view. Null: the source has none, or the reader may not know it. */
  readonly as_of: number | string | null;
}

/** A field by which records are grouped. */
export interface GroupedBy {
  /** As filters name it. */
  readonly name: string;
  readonly unit: (typeof DATE_UNITS)[number] | null;
  readonly type: FieldType;
}

/** A question that was checked against a definition. */
export interface CheckedFigures {
  /** In its one form. */
  readonly asked: Pick<Figures, 'measure' | 'by' | 'order'> & { readonly top: number };
  readonly measure: Measure;
  /** What is measured; null: records are counted. */
  readonly measured: { readonly name: string; readonly isTime: boolean } | null;
  readonly by: readonly GroupedBy[];
  /** The facets whose counters answer it; null: none do. */
  readonly counters: readonly string[] | null;
}

/**
 * Checks a question.
 *
 * @throws GazetteError `invalid_parameter`, which names the parameter and what may stand there
 */
export function checkFigures(question: FiguresQuestion, fields: readonly Field[]): CheckedFigures {
  const { measure: asked = 'count', by: names = [], order = '-value', top = MAX_FIGURES } = question;
  const [, kind = asked, name = null] = /^([^:]*):([^]*)$/.exec(asked) ?? [];
  const measure = MEASURES.find((one) => one === kind);
  if (measure === undefined || (name === null) !== (measure === 'count')) {
    const [count, ...others] = MEASURES;
    throw refusal('measure', `${count}, or one of ${others.map((one) => `${one}:FIELD`).join(', ')}`, asked);
  }
  const isOrder = FIGURE_ORDERS.find((one) => one === order);
  if (isOrder === undefined) throw refusal('order', `one of ${FIGURE_ORDERS.join(', ')}`, order);
  if (!isWhole(top, 1, MAX_FIGURES)) throw refusal('top', `a whole number from 1 to ${MAX_FIGURES}`, top);
  const by = names.map((one) => groupedBy(one, fields));
  const isList = ({ type }: GroupedBy): boolean => type === 'json';
  if (by.length > MAX_GROUPED_BY || new Set(names).size < by.length || by.filter(isList).length > 1) {
    throw refusal('by', `at most ${MAX_GROUPED_BY} different fields, of which one may hold lists`, names.join(','));
  }
  const isCounter = by.every((one) => one.unit === null && facetNames(fields).includes(one.name));
  return {
    asked: { measure: asked, by: names, order: isOrder, top },
    measure,
    measured: name === null ? null : measuredIn(measure, name, fields),
    by,
    counters: measure === 'count' && by.length < 2 && isCounter ? by.map((one) => one.name) : null,
  };
}

function measuredIn(measure: Measure, name: string, fields: readonly Field[]): CheckedFigures['measured'] {
  const isFit = ({ isTime, isNumber }: FigureField): boolean =>
    isNumber || (isTime && (measure === 'min' || measure === 'max'));
  const known = figureFields(fields).filter(isFit);
  const found = known.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw unknown('measure', `${measure}: and one of`, known, name);
}

function groupedBy(given: string, fields: readonly Field[]): GroupedBy {
  const at = given.lastIndexOf(':');
  const unit = DATE_UNITS.find((one) => at > 0 && one === given.slice(at + 1)) ?? null;
  const name = unit === null ? given : given.slice(0, at);
  const known = figureFields(fields).filter(({ isTime, isGroup }) => (unit === null ? isGroup : isTime));
  const found = known.find((one) => one.name === name);
  if (found !== undefined) return { name, unit, type: found.type };
  throw unknown('by', unit === null ? 'some of' : `:${unit} after one of`, known, name);
}

/** What can be asked of a field. */
export interface FigureField {
  /** As filters name it. */
  readonly name: string;
  readonly type: FieldType;
  /** Whether its least and greatest can be measured, and whether its years, months and days make groups. */
  readonly isTime: boolean;
  /** Whether everything can be measured. */
  readonly isNumber: boolean;
  /** Whether its values make groups. */
  readonly isGroup: boolean;
}

/** The fields of a register that figures may name. */
export function figureFields(fields: readonly Field[]): readonly FigureField[] {
  const core: readonly Pick<FigureField, 'name' | 'type'>[] = [
    ...STATED_FILTERS.map((name) => ({ name, type: 'text' as const })),
    ...TIME_FIELDS.map((name) => ({ name, type: 'datetime' as const })),
  ];
  const own = fields.map(({ name, type, filterable }) => ({ name: OWN_PREFIX + name, type, filterable }));
  return [...core, ...own].map((one) => ({
    name: one.name,
    type: one.type,
    isTime: one.type === 'date' || one.type === 'datetime',
    isNumber: one.type === 'number' || one.type === 'decimal' || one.type === 'integer',
    // Only of filterable fields it is known that they hold lists of texts.
    isGroup: one.type !== 'json' || ('filterable' in one && one.filterable === true),
  }));
}

function unknown(parameter: string, expected: string, known: readonly FigureField[], name: string): GazetteError {
  const names = known.map((one) => one.name);
  const [near] = nearest(shorten(name), names);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return refusal(parameter, `${expected} ${names.length === 0 ? 'none' : names.join(', ')}`, name, hint);
}

function refusal(parameter: string, expected: string, got: unknown, hint = ''): GazetteError {
  return new GazetteError('invalid_parameter', `${parameter} must be ${expected}, got ${quote(got)}${hint}`, {
    details: { parameter },
  });
}
