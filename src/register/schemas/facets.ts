// The parameters of facets and figures as Zod schemas.
import { z } from 'zod';
import { GazetteError } from '../../errors.ts';
import { FIGURE_ORDERS, type FiguresQuestion } from '../finding/figures.ts';
import { type FilterField, FILTERS } from '../finding/filters.ts';
import { AS_OF, BY, FACET_FIELDS, MEASURE, OFFSET, ORDER, TOP } from '../parameters.ts';
import { type Filtered, filtered, filterIn, filtersShape, integer, type Query, queryOf, text } from './parameters.ts';

/** Which fields' values are counted, and in which records; or which figures are asked for. */
export interface FacetsQuery extends Filtered {
  /** Absent: all that have facets. */
  readonly names?: readonly string[];
  /** Absent: facets are asked for. */
  readonly figures?: FiguresQuestion & { readonly offset: number; readonly asOf?: number };
}

/** The meaning of the parameters of facets and figures. */
export interface FacetsTexts {
  readonly field: string;
  readonly measure: string;
  readonly by: string;
  readonly order: string;
  readonly top: string;
  readonly offset: string;
  readonly asOf: string;
}

/** Facets: `field` and the filters. Figures: `measure`, `by`, `order`, `top`, `offset`, `as_of` and the filters. */
export function facetsQuery(texts: FacetsTexts, filters: readonly FilterField[] = FILTERS): Query<FacetsQuery> {
  const schema = z.object({
    field: text(FACET_FIELDS).optional().meta({ description: texts.field }),
    measure: text(MEASURE).optional().meta({ description: texts.measure }),
    by: text(BY).optional().meta({ description: texts.by }),
    order: z.enum(FIGURE_ORDERS).optional().meta({ description: texts.order }),
    top: integer(TOP).optional().meta({ description: texts.top }),
    offset: integer(OFFSET).optional().meta({ description: texts.offset }),
    as_of: integer(AS_OF).optional().meta({ description: texts.asOf }),
    ...filtersShape(filters),
  });
  const parameters = [FACET_FIELDS, MEASURE, BY, ORDER, TOP, OFFSET, AS_OF];
  return queryOf(schema, [...parameters, ...filters], ({ field, ...values }, own) => {
    const { measure, by, order, top, offset = 0, as_of: asOf } = values;
    const filter = filtered({ ...filterIn(values, filters), ...own });
    const isFigures = measure !== undefined || by !== undefined;
    if (isFigures && field !== undefined) throw apart(FACET_FIELDS.name, 'measure and by group by what by names');
    if (!isFigures) {
      const alone = parameters.slice(3).find(({ name }) => values[name as keyof typeof values] !== undefined);
      if (alone !== undefined) throw apart(alone.name, 'it goes with measure or by');
      return { ...filter, ...(field === undefined ? {} : { names: field.split(',') }) };
    }
    const question = {
      ...(measure === undefined ? {} : { measure }),
      ...(by === undefined ? {} : { by: by.split(',') }),
      ...(order === undefined ? {} : { order }),
      ...(top === undefined ? {} : { top }),
    };
    return { ...filter, figures: { ...question, offset, ...(asOf === undefined ? {} : { asOf }) } };
  });
}

function apart(parameter: string, why: string): GazetteError {
  return new GazetteError('invalid_parameter', `${parameter} must be left out here: ${why}`, {
    details: { parameter },
  });
}
