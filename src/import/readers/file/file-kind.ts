// What a file is, by its first bytes, whatever its name says: so that a file of another format is refused by that
// format's name, and not by what a parser thinks of its bytes.
import { GazetteError, quote } from '../../../errors.ts';
import { byteOrderMark } from '../text/encoding.ts';

/** The formats that records are read from. */
export type FileFormat = 'json' | 'ndjson' | 'csv' | 'xlsx';

/** How many bytes show what a file is, unless it is shorter. */
const HEAD_LENGTH = 512;

/** What the first bytes show. */
export interface FileKind {
  /** The format, where it is one that can be read; `zip` for an archive whose first file does not show what it is. */
  readonly format: 'json' | 'xlsx' | 'zip' | null;
  /** With an article: `an old Excel workbook (.xls)`. */
  readonly words: string;
  /** What can be done with it, as a part of a sentence. */
  readonly advice: string;
}

const SAVE_AS = 'open it in a spreadsheet program and save it as .xlsx or as CSV';
const UNPACK = 'unpack it, and import the file inside';
const OTHER_FORMAT = 'ask for the data as CSV, XLSX or JSON';

/** Formats that are known by the bytes they begin with, as Latin-1. */
const BY_BEGINNING: readonly (readonly [beginning: string, words: string, advice: string])[] = [
  // [MS-CFB] 2.2: the signature of compound files, in which Excel also keeps encrypted workbooks.
  [
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    'an old Excel workbook (.xls), or a workbook with a password',
    'open it in a spreadsheet program and save it as .xlsx without a password, or as CSV',
  ],
  // [MS-XLS] 2.4.21: the first record of a workbook without such a container.
  ['\x09\x08', 'an old Excel workbook (.xls)', SAVE_AS],
  ['BZh', 'compressed by bzip2', UNPACK],
  ['\xfd7zXZ\x00', 'compressed by xz', UNPACK],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive', UNPACK],
  ['Rar!\x1a\x07', 'a RAR archive', UNPACK],
  ['%PDF-', 'a PDF document', OTHER_FORMAT],
  ['PAR1', 'a Parquet file', OTHER_FORMAT],
  ['SQLite format 3\x00', 'an SQLite database', OTHER_FORMAT],
  ['MIME-Version:', 'a web page saved as one file', SAVE_AS],
];

/** The bytes that one of the formats below begins with. */
const BEGINNINGS = new Set(Buffer.from('\xd0\x09B\xfd7R%PSM\x1f\x28\xef <[{\t\r\n', 'latin1'));

/**
 * Whether more bytes are needed to see what a file is. Plain text shows at once, so that it is read no further than it is
 * asked for.
 *
 * @param format what it is to be read as; null if that is not known
 */
export function needsMore(head: Uint8Array, format: FileFormat | null): boolean {
  const [first] = head;
  if (first === undefined) return true;
  if (head.length >= HEAD_LENGTH) return false;
  const isJson = first === 0x5b || first === 0x7b;
  return format === 'xlsx' || (BEGINNINGS.has(first) && !(isJson && format !== 'csv'));
}

/** What the first bytes show; null for text and for what is not known. @param head as many as needed: see {@link needsMore} */
export function fileKind(head: Uint8Array): FileKind | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_LENGTH));
  const start = bytes.toString('latin1');
  const known = BY_BEGINNING.find(([beginning]) => start.startsWith(beginning));
  if (known !== undefined) return { format: null, words: known[1], advice: known[2] };
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return zipKind(bytes);
  if (isNoText(head)) return { format: null, words: 'no text', advice: OTHER_FORMAT };
  return markupKind(start.replace(/^(?:\xef\xbb\xbf)?\s*/, ''));
}

/** How many bytes show whether a file is text, and the least number that does. */
const TEXT_LENGTHS = { most: 4096, least: 256 } as const;

/**
 * Whether bytes are those of a picture, a program, a film: of theirs some 9 in 100 are controls that no text has, other than
 * those that separate (FS to US), end or escape. Where many are zero it may be UTF-16, or a table with padded columns, which has
 * few kinds of controls.
 */
function isNoText(head: Uint8Array): boolean {
  if (head.length < TEXT_LENGTHS.least || byteOrderMark(head) !== null) return false;
  const bytes = head.subarray(0, TEXT_LENGTHS.most);
  const share = (is: (byte: number) => boolean): number => bytes.filter(is).length / bytes.length;
  if (share(isControl) <= 0.04) return false;
  if (share((byte) => byte === 0) < 0.01) return true;
  return new Set(bytes.filter(isControl)).size > PADDING_KINDS && !isUtf16(bytes);
}

/** How many kinds of controls a table may have whose columns are padded. */
const PADDING_KINDS = 8;

function isControl(byte: number): boolean {
  return (byte > 0 && byte < 0x09) || byte === 0x0b || (byte > 0x0d && byte < 0x1a) || byte === 0x7f;
}

/** Whether nearly all of it is letters, signs and space of UTF-16. */
function isUtf16(bytes: Uint8Array): boolean {
  return ['utf-16le', 'utf-16be'].some((encoding) => {
    const text = new TextDecoder(encoding).decode(bytes);
    return text.replaceAll(/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\s]/gu, '').length * 20 < text.length;
  });
}

/** APPNOTE.TXT 4.3.7: the name of an archive's first file, and the file itself. */
function zipKind(bytes: Buffer): FileKind {
  const nameEnd = 30 + (bytes.length < 30 ? 0 : bytes.readUInt16LE(26));
  const name = bytes.toString('utf8', 30, nameEnd);
  if (name === 'mimetype') {
    // OpenDocument 1.3 part 2, 3.3: the first file, neither compressed nor with an extra field.
    const type = bytes.toString('latin1', nameEnd, nameEnd + 100);
    const isSheet = type.startsWith('application/vnd.oasis.opendocument.spreadsheet');
    const words = isSheet ? 'an OpenDocument spreadsheet (.ods)' : 'a document in a zip archive';
    return { format: null, words, advice: SAVE_AS };
  }
  if (/^(?:\[content_types\]\.xml$|_rels\/|xl\/|docprops\/)/i.test(name)) {
    return { format: 'xlsx', words: 'an XLSX workbook', advice: 'read it as xlsx' };
  }
  return {
    format: 'zip',
    words: name === '' ? 'a zip archive' : `a zip archive with ${quote(name)}`,
    advice: UNPACK,
  };
}

function markupKind(start: string): FileKind | null {
  if (/^[[{]\s*["{[]/.test(start)) return { format: 'json', words: 'JSON', advice: 'read it as json or ndjson' };
  if (!/^<(?:[!?/]|[a-z])/i.test(start)) return null;
  if (/^<\?xml[^]*(?:<\?mso-application|urn:schemas-microsoft-com:office:spreadsheet)/.test(start)) {
    return { format: null, words: 'an Excel 2003 workbook in XML', advice: SAVE_AS };
  }
  if (/^<(?:\?xml|[a-z][\w.-]*:[a-z])/i.test(start) && !/<html/i.test(start)) {
    return { format: null, words: 'an XML document', advice: OTHER_FORMAT };
  }
  if (!/^<(?:!doctype\s+html|!--|html|head|body|meta|style|table|div)\b|<html/i.test(start)) return null;
  return {
    format: null,
    words: 'an HTML page',
    advice: `it may be an error page or a table under another name; if you see the table, ${SAVE_AS}`,
  };
}

/**
 * Refuses a file that is of another format than the one it is read as.
 *
 * @param head its first bytes, as many as needed: see {@link needsMore}
 * @throws GazetteError `invalid_input`, naming what the file is and what to do
 */
export function checkKind(input: string, head: Uint8Array, format: FileFormat): void {
  const kind = fileKind(head);
  if (kind === null ? format !== 'xlsx' : isReadAs(kind, format)) return;
  const is = kind === null ? (head.length === 0 ? 'empty' : 'not a workbook') : kind.words;
  const advice = kind?.advice ?? (head.length === 0 ? 'expected an XLSX workbook' : 'it is not a zip archive');
  throw new GazetteError('invalid_input', `${input} is ${is}; ${advice}`, { details: { input } });
}

function isReadAs({ format }: FileKind, wanted: FileFormat): boolean {
  if (wanted === 'xlsx') return format === 'xlsx' || format === 'zip';
  return format === 'json' && wanted !== 'csv';
}
