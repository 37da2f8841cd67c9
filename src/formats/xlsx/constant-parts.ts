// Parts that are the same in every workbook, or in every one of a single sheet of records: compressed once per process,
// since zlib's start costs more than these parts hold.
import { type DeflatedPart, deflatePart } from './deflate.ts';
import { stylesXml } from './styles.ts';
import {
  applicationPropertiesXml,
  contentTypesXml,
  packageRelationshipsXml,
  workbookRelationshipsXml,
} from './workbook.ts';

/** Sheets of a workbook whose records fit into one. */
const USUAL_SHEETS = 2;

/** `_rels/.rels`. */
export const packageRelationshipsPart: () => DeflatedPart = once(packageRelationshipsXml);

/** `docProps/app.xml`. */
export const applicationPropertiesPart: () => DeflatedPart = once(applicationPropertiesXml);

/** `xl/styles.xml`. */
export const stylesPart: () => DeflatedPart = once(stylesXml);

/** `[Content_Types].xml` for so many sheets. */
export function contentTypesPart(sheets: number): DeflatedPart {
  return sheets === USUAL_SHEETS ? usualContentTypes() : deflatePart(contentTypesXml(sheets));
}

/** `xl/_rels/workbook.xml.rels` for so many sheets. */
export function workbookRelationshipsPart(sheets: number): DeflatedPart {
  return sheets === USUAL_SHEETS ? usualWorkbookRelationships() : deflatePart(workbookRelationshipsXml(sheets));
}

const usualContentTypes = once(() => contentTypesXml(USUAL_SHEETS));
const usualWorkbookRelationships = once(() => workbookRelationshipsXml(USUAL_SHEETS));

/** Compresses at the first call; each call gets bytes of its own, for an output owns what it is given. */
function once(make: () => string): () => DeflatedPart {
  let made: DeflatedPart | null = null;
  return () => {
    made ??= deflatePart(make());
    return { ...made, pieces: made.pieces.map((piece) => new Uint8Array(piece)) };
  };
}
