// Workbooks written part by part, for what no program writes, or only Excel does.
import { strToU8, zipSync, type Zippable } from 'fflate';

/** A workbook by hand: the XML of the sheet’s rows, and parts that replace or add to the others. */
export function workbook(rows: string, parts: Zippable = {}): Uint8Array {
  const relationships = (content: string): Uint8Array =>
    strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${content}</Relationships>`,
    );
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return zipSync({
    '_rels/.rels': relationships(`<Relationship Id="r1" Type="${type}/officeDocument" Target="xl/workbook.xml"/>`),
    'xl/workbook.xml': strToU8(
      '<workbook xmlns="urn:x" xmlns:r="urn:r"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': relationships(
      `<Relationship Id="r1" Type="${type}/worksheet" Target="worksheets/sheet1.xml"/>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(`<worksheet xmlns="urn:x"><sheetData>${rows}</sheetData></worksheet>`),
    ...parts,
  });
}

/** A cell of text. */
export const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
