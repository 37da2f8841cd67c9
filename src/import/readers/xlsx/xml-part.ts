// Reads one XML part of a workbook in one pass through saxes: tags and texts in their order, names without prefixes.
import { SaxesParser } from 'saxes';
import { GazetteError, quote } from '../../../errors.ts';
import { MAX_VALUE_LENGTH } from '../raw-record.ts';
import type { Archive } from './archive.ts';

/** Handles the content of a part. */
export interface PartHandler<Gathered = void> {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
  /** Called after each piece; returns what was collected from it. */
  take?(): Gathered;
}

/**
 * Reads a part; after each piece yields what the handler collected from it.
 *
 * @throws GazetteError `invalid_input` naming the part and the position when it is not well-formed XML, when it
 *   declares a document type (no workbook has one; entities could grow without limit), or when a text is too long.
 */
export async function* readPart<Gathered>(
  archive: Archive,
  input: string,
  part: string,
  handler: PartHandler<Gathered>,
  signal?: AbortSignal,
): AsyncGenerator<Gathered | undefined, void, undefined> {
  const refuse = (reason: string, cause?: unknown): GazetteError =>
    new GazetteError('invalid_input', `${input}, part ${quote(part)}: ${reason}`, {
      ...(cause === undefined ? {} : { cause }),
      details: { input, part },
    });
  const parser = new SaxesParser();
  let sinceEvent = 0;
  parser.on('error', (error) => {
    throw refuse(`no well-formed XML, ${error.message.replace(/^(\d+):(\d+): /, 'line $1, column $2: ')}`, error);
  });
  parser.on('doctype', () => {
    throw refuse('has a document type declaration, which no workbook has');
  });
  parser.on('opentag', (tag) => {
    sinceEvent = 0;
    handler.open(localName(tag.name), tag.attributes);
  });
  parser.on('text', (text) => {
    sinceEvent = 0;
    handler.text?.(text);
  });
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('closetag', (tag) => {
    sinceEvent = 0;
    handler.close?.(localName(tag.name));
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw refuse('is not UTF-8', cause);
    }
  };
  for await (const bytes of archive.read(part, signal)) {
    const text = decode(bytes);
    sinceEvent += text.length;
    parser.write(text);
    if (sinceEvent > MAX_VALUE_LENGTH) {
      throw refuse(`has a value longer than ${MAX_VALUE_LENGTH} characters, the most that is read`);
    }
    yield handler.take?.();
  }
  parser.write(decode()).close();
  yield handler.take?.();
}

/** Reads a whole part. */
export async function readWholePart(
  archive: Archive,
  input: string,
  part: string,
  handler: PartHandler,
  signal?: AbortSignal,
): Promise<void> {
  const pieces = readPart(archive, input, part, handler, signal);
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next());
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}
