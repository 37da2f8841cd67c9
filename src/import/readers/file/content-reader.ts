// Reads a file whose name does not say what it is: its first bytes decide which reader takes it.
import { GazetteError } from '../../../errors.ts';
import { type ByteSource, readBytes } from '../byte-source.ts';
import type { RecordReader } from '../raw-record.ts';
import { checkKind, fileKind, type FileFormat } from './file-kind.ts';

/**
 * A reader of a file in a format that its first 64 KiB show: a workbook, a JSON document, JSON values in lines, or else
 * CSV. If it is not JSON, a note says which it was.
 *
 * @param createReader makes the reader of a format; called once, when the file is opened
 * @throws GazetteError from `batches()`: what `createReader` and its reader throw; `invalid_input` for an empty file
 */
export function contentReader(
  source: ByteSource,
  createReader: (format: FileFormat, source: ByteSource) => RecordReader,
): RecordReader {
  let found: { readonly format: FileFormat; readonly reader: RecordReader } | null = null;
  return {
    name: source.name,
    get textValues() {
      return found?.reader.textValues ?? false;
    },
    columns: () => found?.reader.columns?.() ?? [],
    where: (at) => found?.reader.where(at) ?? `record ${at}`,
    notes() {
      if (found === null) return [];
      const { format, reader } = found;
      const notes = reader.notes?.() ?? [];
      const message = `the file is read as ${format}, as its content shows; name the format if it is another`;
      return format === 'json' ? notes : [{ code: 'format', message, format }, ...notes];
    },
    async *batches(signal) {
      const pieces = readBytes(source, null, signal);
      try {
        const { head, format } = await readStart(pieces);
        if (head.length === 0) {
          throw new GazetteError('invalid_input', `${source.name} is empty`, { details: { input: source.name } });
        }
        // What is none of the formats is refused before it is said how it is read.
        if (format === 'csv') checkKind(source.name, head, format);
        const rest = { name: source.name, maxUnpacked: source.maxUnpacked, open: () => resumed(head, pieces) };
        found = { format, reader: createReader(format, rest) };
        yield* found.reader.batches(signal);
      } finally {
        await pieces.return();
      }
    },
  };
}

/** How much of a file is looked at, in bytes: one piece. */
const START_LENGTH = 65_536;

/** Reads a file until its format shows. */
async function readStart(pieces: AsyncIterator<Uint8Array>): Promise<{ head: Buffer; format: FileFormat }> {
  let head = Buffer.alloc(0);
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) return { head, format: formatOf(head) ?? 'json' };
    head = Buffer.concat([head, next.value]);
    const format = formatOf(head);
    if (format !== null || head.length >= START_LENGTH) return { head, format: format ?? 'json' };
  }
}

async function* resumed(
  head: Uint8Array,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  yield* pieces;
}

/** The format; null where more bytes are needed to see it. */
function formatOf(head: Buffer): FileFormat | null {
  const format = fileKind(head)?.format;
  if (format === 'xlsx' || format === 'zip') return 'xlsx';
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') return null;
  if (!text.startsWith('{')) return text.startsWith('[') ? 'json' : 'csv';
  // One whole value in the first line, and another behind it. A value alone is a document.
  const lines = /^(\{[^\n]*)\n\s*(\S)/.exec(text);
  if (lines === null) return null;
  return lines[2] === '{' && isJson(lines[1]!) ? 'ndjson' : 'json';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
