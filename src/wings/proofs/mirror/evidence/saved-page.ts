// The proofs in a saved page: an HTML file as a server sent it or as a browser wrote it, MHTML (RFC 2557), or the text of a proof itself.
import { readReference } from '../../../../html-references.ts';
import { endOfTag } from '../../../../html-text.ts';
import { PROOF_HEAD } from '../../tlog/record-proof.ts';

/** The texts of the proofs in a file, each once. @param file its bytes */
export function proofsIn(file: Uint8Array): readonly string[] {
  const text = decoded(file);
  if (text.trimStart().startsWith(PROOF_HEAD)) return [proofOf(text)];
  const pages = htmlParts(file) ?? [text];
  return [...new Set(pages.flatMap(proofsInHtml))];
}

/** Elements whose text is no markup. */
const RAW: ReadonlySet<string> = new Set('script style title textarea iframe noembed noframes xmp'.split(' '));

/** The beginning of a comment, or of a tag with its name. */
const MARKUP = /<(?:!--|(\/?[A-Za-z][^\t\n\f\r />]*))/g;

/** The end of a comment, from behind its `<!`: `<!-->` is a whole one. */
const COMMENT_END = '-->|(?<!<!)--!>';

/** The attribute of the elements that carry proofs. Publishers’ HTML has none of them. */
const CARRIES = /[\s/"']data-proof(?=[\s=/>])/i;

function proofsInHtml(html: string): readonly string[] {
  const proofs: string[] = [];
  const markup = new RegExp(MARKUP);
  for (let found = markup.exec(html); found !== null; found = markup.exec(html)) {
    const name = found[1]?.toLowerCase();
    const end = name === undefined ? placeOf(COMMENT_END, html, found.index + 2) : endOfTag(html, markup.lastIndex);
    markup.lastIndex = end;
    if (name === 'pre' && CARRIES.test(html.slice(found.index, end))) {
      const close = placeOf('</pre', html, end);
      proofs.push(proofOf(referencesRead(html.slice(end, close).replace(/<[^<>]*>/g, ''))));
      markup.lastIndex = close;
    } else if (name !== undefined && RAW.has(name)) markup.lastIndex = placeOf(`</${name}`, html, end);
  }
  return proofs;
}

/** Where a pattern is found next; the end where it is not. */
function placeOf(text: string, html: string, from: number): number {
  const found = new RegExp(text, 'gi');
  found.lastIndex = from;
  return found.exec(html)?.index ?? html.length;
}

function referencesRead(text: string): string {
  return text.replace(/&[^\s&;]*;?/g, (reference) => readReference(reference, 0, false)?.text ?? reference);
}

/** A proof has lines that end in a line feed, the last one too. */
function proofOf(text: string): string {
  return `${text.replaceAll('\r\n', '\n').trim()}\n`;
}

/** A text without the mark of another encoding is in UTF-8. */
function decoded(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8').decode(bytes);
}

/** The HTML in a file of MIME; null: it is none. */
function htmlParts(file: Uint8Array): readonly string[] | null {
  const text = Buffer.from(file).toString('latin1').replaceAll('\r\n', '\n');
  const [head] = headOf(text);
  const boundary = /^content-type:\s*multipart\/related;.*?\bboundary="?([^";\n]+)/im.exec(head)?.[1];
  if (boundary === undefined) return null;
  return text.split(`\n--${boundary}`).flatMap((part) => {
    const [fields, body] = headOf(part.replace(/^\n/, ''));
    if (!/^content-type:\s*text\/html\b/im.test(fields)) return [];
    const coding = /^content-transfer-encoding:\s*([\w-]+)/im.exec(fields)?.[1]?.toLowerCase();
    return [decoded(Buffer.from(bodyOf(body, coding), 'latin1'))];
  });
}

/** The head of an entity, each field on one line, and its body. */
function headOf(entity: string): readonly [string, string] {
  const end = entity.indexOf('\n\n');
  return end < 0 ? ['', entity] : [entity.slice(0, end).replace(/\n[ \t]+/g, ' '), entity.slice(end + 2)];
}

/** A body (RFC 2045 6), a character for each byte. */
function bodyOf(body: string, coding: string | undefined): string {
  if (coding === 'base64') return Buffer.from(body, 'base64').toString('latin1');
  if (coding !== 'quoted-printable') return body;
  const joined = body.replace(/=[ \t]*\n/g, '');
  return joined.replace(/=([\dA-F]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
