// The hyperlinks of one sheet: the relationships part with their targets (ECMA-376 part 2, 9.3), compressed as it
// grows, and the row numbers that the end of the sheet lists. Only these are held until a sheet's end: one or two
// megabytes for Excel's 65,530 links.
import { isHttpUrl, isPlainUri, toUri } from '../../register/url.ts';
import { BlockDeflater, type DeflatedPart, deflatePart } from './deflate.ts';
import { MAX_LINK_LENGTH } from './limits.ts';

const PART_OPEN =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">';
const PART_CLOSE = '</Relationships>';
const TARGET_OPEN = '" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="';
const TARGET_CLOSE = '" TargetMode="External"/>';

/** UTF-16 units of elements collected before they are given to the deflater. */
const TEXT_AT_ONCE = 32_768;

/** Links written to the sheet between two checks of the deflater's window. */
const ROWS_PER_CHUNK = 1000;

/**
 * The beginning of a URI whose host every reader of workbooks takes: labels of at most 63 letters, digits, `-` and `_`, or an
 * address. .NET opens no workbook that has another one.
 */
const READABLE_HOST =
  /^https?:\/\/(?:[^/?#@]*@)?(?:[a-z\d][\w-]{0,62}(?:\.[a-z\d][\w-]{0,62})*\.?|\[[\da-f:.]+\])(?::\d+)?(?:[/?#]|$)/i;

/**
 * The URL as a relationship's target, which is a URI (ECMA-376 part 2, 9.3). Null if a spreadsheet would report damage: not
 * an absolute http(s) URL, too long, or with a host that is no name of the DNS.
 */
export function linkTarget(url: string): string | null {
  if (url.length > MAX_LINK_LENGTH) return null;
  if (isPlainUri(url)) return url;
  if (!isHttpUrl(url)) return null;
  const target = toUri(url);
  return target.length > MAX_LINK_LENGTH || !READABLE_HOST.test(target) ? null : target;
}

/** The links of a sheet in the order of its rows; all are in one column. */
export class SheetLinks {
  readonly #limit: number;
  readonly #level: number | undefined;
  readonly #rows: number[] = [];
  /** Elements not yet given to the deflater. The links of a single page never need one. */
  #text: string = PART_OPEN;
  #part: BlockDeflater | null = null;
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];

  /** @param level zlib's, 1 to 9; undefined for the default */
  constructor(limit: number, level?: number) {
    this.#limit = limit;
    this.#level = level;
  }

  /** Whether to wait in {@link relieve} before the next link. */
  get isFull(): boolean {
    return this.#part?.isFull === true;
  }

  /** Whether the sheet has the maximum number of links. */
  get hasAll(): boolean {
    return this.#rows.length >= this.#limit;
  }

  /** Links the cell in `row`. `&` in the target is already escaped; a target contains no other markup. */
  add(row: number, escapedTarget: string): void {
    const id = this.#rows.push(row);
    this.#text += `<Relationship Id="rId${id}${TARGET_OPEN}${escapedTarget}${TARGET_CLOSE}`;
    if (this.#text.length > TEXT_AT_ONCE) this.#deflate();
  }

  async relieve(): Promise<void> {
    await this.#part?.relieve();
  }

  /** The sheet's `hyperlinks` element (18.3.1.48) for links in `column`, in pieces. */
  *elements(column: string): Generator<string, void, undefined> {
    if (this.#rows.length === 0) return;
    yield '<hyperlinks>';
    for (let from = 0; from < this.#rows.length; from += ROWS_PER_CHUNK) {
      yield this.#rows
        .slice(from, from + ROWS_PER_CHUNK)
        .map((row, i) => `<hyperlink ref="${column}${row}" r:id="rId${from + i + 1}"/>`)
        .join('');
    }
    yield '</hyperlinks>';
  }

  /** The relationships part, synchronously if it is small; null without links. */
  finish(): DeflatedPart | null | Promise<DeflatedPart> {
    if (this.#rows.length === 0) return null;
    this.#text += PART_CLOSE;
    if (this.#part === null) return deflatePart(this.#text, this.#level);
    this.#deflate();
    return this.#finishPart(this.#part);
  }

  async abort(): Promise<void> {
    await this.#part?.abort();
  }

  #deflate(): void {
    this.#part ??= new BlockDeflater((bytes) => this.#pieces.push(bytes), this.#level);
    this.#part.text(this.#text);
    this.#text = '';
  }

  async #finishPart(part: BlockDeflater): Promise<DeflatedPart> {
    const totals = await part.finish();
    return { ...totals, pieces: this.#pieces };
  }
}
