// The parameters of whole registers as Zod schemas.
import { z } from 'zod';
import { FIELDS } from '../finding/chosen-fields.ts';
import { type FilterField, FILTERS } from '../finding/filters.ts';
import { PAGE_SIZE, type PageQuery } from '../page.ts';
import { AT, BOM, WHOLE_TAG } from '../parameters.ts';
import { pageQueryOf } from '../query.ts';
import { FIELDS_TEXT, filterIn, filtersShape, type Query, queryOf, statement, text } from './parameters.ts';

/** All records that match: `bom`, `etag`, `at`, `fields` and the filters, those of own fields too. */
export function wholeQuery(texts: WholeTexts, filters: readonly FilterField[] = FILTERS): Query<WholeQuery> {
  const schema = z.object({
    bom: statement(texts.bom),
    etag: text(WHOLE_TAG).optional().meta({ description: texts.etag }),
    at: text(AT).optional().meta({ description: texts.at }),
    fields: text(FIELDS).optional().meta({ description: FIELDS_TEXT }),
    ...filtersShape(filters),
  });
  return queryOf(schema, [BOM, WHOLE_TAG, AT, FIELDS, ...filters], ({ bom, etag, at, fields, ...values }, own) => ({
    ...pageQueryOf({ limit: PAGE_SIZE, offset: 0, at, fields }, { ...filterIn(values, filters), ...own }),
    hasBom: bom === 1,
    ...(etag === undefined ? {} : { etag }),
  }));
}

/** A whole result, from its first page on. */
export interface WholeQuery extends PageQuery {
  /** Whether a CSV begins with a byte-order mark. */
  readonly hasBom: boolean;
  /** The entity tag, without quotes, of the bytes that it must be. */
  readonly etag?: string;
}

/** The meaning of its own parameters. */
export interface WholeTexts {
  readonly bom: string;
  readonly etag: string;
  readonly at: string;
}
