// The names of text encodings (WHATWG Encoding Standard), and byte-order marks.
import { GazetteError, quote } from '../../../errors.ts';

/** What `--encoding` accepts, in the words of messages: the names of the standard, and their usual other names. */
const ACCEPTED =
  'utf-8, utf-16le, utf-16be, windows-1250 to windows-1258, iso-8859-1 to iso-8859-16, macintosh, koi8-r, koi8-u, ibm866, ' +
  'windows-874, gbk, gb18030, big5, euc-jp, iso-2022-jp, shift_jis, euc-kr';

/**
 * The standard's name of an encoding: `latin1`, `latin-1` and `iso-8859-1` are `windows-1252`, as in every browser.
 *
 * @throws GazetteError `invalid_option` for an unknown name.
 */
export function encodingNamed(label: string): string {
  // People write latin-1; the standard knows latin1.
  const known = label.trim().replace(/^latin-(\d+)$/i, 'latin$1');
  try {
    return new TextDecoder(known).encoding;
  } catch (cause) {
    throw new GazetteError('invalid_option', `encoding must be one of ${ACCEPTED}; got ${quote(label)}`, {
      cause,
      details: { option: 'encoding' },
    });
  }
}

/** A byte-order mark at the start of a file. */
export interface ByteOrderMark {
  readonly encoding: string;
  readonly length: number;
}

/** The byte-order mark that the first bytes are, or null. UTF-32 is not among the encodings of the standard. */
export function byteOrderMark(head: Uint8Array): ByteOrderMark | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return null;
}

/** The least share of units with a zero byte in UTF-16 text of languages in Latin letters. */
const ZERO_SHARE = 0.3;

/** UTF-16 without a mark: every second byte of ASCII characters is zero, always on the same side. */
export function utf16ByZeros(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const units = Math.floor(head.length / 2);
  let high = 0;
  let low = 0;
  for (let at = 0; at < units * 2; at += 2) {
    if (head[at] === 0) high++;
    if (head[at + 1] === 0) low++;
  }
  if (low > units * ZERO_SHARE && high * 20 <= low) return 'utf-16le';
  if (high > units * ZERO_SHARE && low * 20 <= high) return 'utf-16be';
  return null;
}
