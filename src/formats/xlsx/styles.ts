// The styles part (ECMA-376 part 1, 18.8): a bold header, dates, date-times in UTC, links, and the plain default.
import type { TimeStyle } from './cell-decision.ts';

/** Number formats. They name the time zone; RFC 3339 (5.6) allows the space. */
export const TIME_FORMATS: Readonly<Record<TimeStyle, string>> = {
  date: 'yyyy\\-mm\\-dd',
  datetime: 'yyyy\\-mm\\-dd\\ hh:mm:ss"Z"',
  datetime_ms: 'yyyy\\-mm\\-dd\\ hh:mm:ss.000"Z"',
};

/** Colour of a link's text, ARGB, as in Excel. */
export const LINK_COLOR = 'FF0563C1';

/** Index of a cell format in the styles part, for a cell's `s`; 0 is the default. */
export const STYLE: Readonly<Record<TimeStyle | 'header' | 'link', number>> = {
  header: 1,
  date: 2,
  datetime: 3,
  datetime_ms: 4,
  link: 5,
};

/** Number formats below 164 are built in (18.8.30). */
const FIRST_OWN_FORMAT = 164;

/** The styles part: the same in every workbook. */
export function stylesXml(): string {
  const formats = Object.values(TIME_FORMATS)
    .map((code, i) => `<numFmt numFmtId="${FIRST_OWN_FORMAT + i}" formatCode="${code.replaceAll('"', '&quot;')}"/>`)
    .join('');
  const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
  const xf = (attributes: string): string => `<xf ${attributes} fillId="0" borderId="0"`;
  const timeXfs = Object.keys(TIME_FORMATS)
    .map((_, i) => `${xf(`numFmtId="${FIRST_OWN_FORMAT + i}" fontId="0"`)} xfId="0" applyNumberFormat="1"/>`)
    .join('');
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    `<numFmts count="${Object.keys(TIME_FORMATS).length}">${formats}</numFmts>` +
    `<fonts count="3"><font>${font}</font><font><b/>${font}</font>` +
    `<font><u/><sz val="11"/><color rgb="${LINK_COLOR}"/><name val="Calibri"/><family val="2"/></font></fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
    '<fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    `<cellStyleXfs count="1">${xf('numFmtId="0" fontId="0"')}/></cellStyleXfs>` +
    `<cellXfs count="6">${xf('numFmtId="0" fontId="0"')} xfId="0"/>` +
    `${xf('numFmtId="0" fontId="1"')} xfId="0" applyFont="1"/>${timeXfs}` +
    `${xf('numFmtId="0" fontId="2"')} xfId="0" applyFont="1"/></cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
    '</styleSheet>'
  );
}
