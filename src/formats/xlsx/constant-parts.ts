// Parts that are the same in every workbook, or in every workbook with one sheet of records. They are compressed once,
// when the module is loaded (half a millisecond), since starting zlib takes longer than compressing them.
import { type DeflatedPart, deflatePart } from './deflate.ts';
import { stylesXml } from './styles.ts';
import {
  applicationPropertiesXml,
  contentTypesXml,
  packageRelationshipsXml,
  workbookRelationshipsXml,
} from './workbook.ts';

/** Number of sheets in a workbook whose records fit into one. */
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

/** `[Content_Types].xml` for this number of sheets. */
export function contentTypesPart(sheets: number): DeflatedPart {
  return sheets === USUAL_SHEETS ? copyOf(USUAL_CONTENT_TYPES) : deflatePart(contentTypesXml(sheets));
}

/** `xl/_rels/workbook.xml.rels` for this number of sheets. */
export function workbookRelationshipsPart(sheets: number): DeflatedPart {
  return sheets === USUAL_SHEETS ? copyOf(USUAL_WORKBOOK_RELATIONSHIPS) : deflatePart(workbookRelationshipsXml(sheets));
}

/** A copy of the part with its own bytes, since an output owns what it is given. */
function copyOf(part: DeflatedPart): DeflatedPart {
  return { ...part, pieces: part.pieces.map((piece) => new Uint8Array(piece)) };
}
