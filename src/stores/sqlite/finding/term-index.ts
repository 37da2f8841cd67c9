// The index of terms in SQLite: FTS5 over the terms of each record, each with a mark of the segment of positions that its
// record lies in before it. So an entry list is never longer than a segment, and a look-up reads one segment after the
// other, newest first. Triggers keep it right: an entry is removed by the very terms that it was made of.
// https://sqlite.org/fts5.html#external_content_tables

/** How many positions a segment has, as a power of two. */
const SEGMENT_BITS = 14;

/** The size of a segment in slots. */
export const SEGMENT: number = 2 ** SEGMENT_BITS;

/**
 * Segments are marked by a private character, so many in turn: short terms make writes quicker. Segments that share one share
 * entry lists, of which a look-up reads its own part: the number is a prime, so that they seldom do.
 */
const FIRST_MARK = 0xe001;
const MARKS = 6397;

/** The table of the index. */
export const TERM_INDEX = 'record_terms_found';

/** The terms of a row as the index has them. */
const indexed = (row: string): string => {
  const mark = `char(${FIRST_MARK} + (${row}slot >> ${SEGMENT_BITS}) % ${MARKS})`;
  return `${mark} || replace(${row}terms, ' ', ' ' || ${mark})`;
};

const add = `INSERT INTO ${TERM_INDEX} (rowid, terms) VALUES (new.slot, ${indexed('new.')})`;
const remove = `INSERT INTO ${TERM_INDEX} (${TERM_INDEX}, rowid, terms) VALUES ('delete', old.slot, ${indexed('old.')})`;

/**
 * What the table of terms has in SQLite alone. Not `secure-delete`: it takes milliseconds for each changed record. What a
 * removed entry leaves, a purge removes. `hashsize` holds the entries of a whole batch: its default makes several lists of it.
 */
export const termIndexSql = (): string => `
CREATE VIEW record_terms_marked AS SELECT slot, ${indexed('')} AS terms FROM record_terms;
CREATE VIRTUAL TABLE ${TERM_INDEX} USING fts5(terms, content = 'record_terms_marked', content_rowid = 'slot',
  tokenize = 'ascii', detail = none, columnsize = 0);
INSERT INTO ${TERM_INDEX} (${TERM_INDEX}, rank) VALUES ('hashsize', 8388608);
CREATE TRIGGER record_terms_added AFTER INSERT ON record_terms BEGIN ${add}; END;
CREATE TRIGGER record_terms_removed AFTER DELETE ON record_terms BEGIN ${remove}; END;
CREATE TRIGGER record_terms_changed AFTER UPDATE OF terms ON record_terms WHEN new.terms <> old.terms
  BEGIN ${remove}; ${add}; END;`;

/** The number of the segment of a slot. */
export function segmentOf(slot: number): number {
  return Math.floor(slot / SEGMENT);
}

/** What the index is asked for: records of a segment that have a term of every group. */
export function matchText(groups: readonly (readonly string[])[], segment: number): string {
  const mark = String.fromCharCode(FIRST_MARK + (segment % MARKS));
  return groups.map((terms) => `(${terms.map((term) => `"${mark}${term}"`).join(' OR ')})`).join(' AND ');
}
