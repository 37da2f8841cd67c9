// Parts that are the same in every workbook, or in every one of a single sheet of records: compressed once, when the
// module is loaded (half a millisecond), since zlib's start costs more than these parts hold.
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

const PACKAGE_RELATIONSHIPS = deflatePart(packageRelationshipsXml());
const APPLICATION_PROPERTIES = deflatePart(applicationPropertiesXml());
const STYLES = deflatePart(stylesXml());
const USUAL_CONTENT_TYPES = deflatePart(contentTypesXml(USUAL_SHEETS));
const USUAL_WORKBOOK_RELATIONSHIPS = deflatePart(workbookRelationshipsXml(USUAL_SHEETS));

/** `_rels/.rels`. */
export function packageRelationshipsPart(): DeflatedPart {
  return copyOf(PACKAGE_RELATIONSHIPS);
}

/** `docProps/app.xml`. */
export function applicationPropertiesPart(): DeflatedPart {
  return copyOf(APPLICATION_PROPERTIES);
}

/** `xl/styles.xml`. */
export function stylesPart(): DeflatedPart {
  return copyOf(STYLES);
}

/** `[Content_Types].xml` for so many sheets. */
export function contentTypesPart(sheets: number): DeflatedPart {
  return sheets === USUAL_SHEETS ? copyOf(USUAL_CONTENT_TYPES) : deflatePart(contentTypesXml(sheets));
}

/** `xl/_rels/workbook.xml.rels` for so many sheets. */
export function workbookRelationshipsPart(sheets: number): DeflatedPart {
  return sheets === USUAL_SHEETS ? copyOf(USUAL_WORKBOOK_RELATIONSHIPS) : deflatePart(workbookRelationshipsXml(sheets));
}

/** The part with bytes of its own: an output owns what it is given. */
function copyOf(part: DeflatedPart): DeflatedPart {
  return { ...part, pieces: part.pieces.map((piece) => new Uint8Array(piece)) };
}
