// A page in each of its formats, by the writers of the service.
import type { PageContent } from '../../archive/content.ts';
import { formatDocument, jsonDocument } from '../../archive/documents.ts';
import type { Ending } from '../../archive/layout.ts';
import type { Format } from '../../formats/format.ts';
import { pageHtml } from './html.ts';
import type { PageWriters } from './formats.ts';
import type { SnapshotRegister } from './content.ts';

/** A file of a page, and how many records it has. */
export interface RenderedFile {
  readonly bytes: Uint8Array;
  readonly records: number;
}

/**
 * The files that these writers create from a page, in their order. @throws GazetteError the errors of the
 * formats.
 */
export async function* renderPage(
  register: SnapshotRegister,
  content: PageContent,
  writers: PageWriters,
): AsyncGenerator<RenderedFile, void, undefined> {
  for (const [ending, format] of writers) yield await render(register, content, ending, format);
}

async function render(
  register: SnapshotRegister,
  content: PageContent,
  ending: Ending,
  format: Format | null,
): Promise<RenderedFile> {
  const records = content.records.length;
  if (format !== null) return { bytes: await formatDocument(register, content, format), records };
  if (ending === 'json') return { bytes: jsonDocument(register, content), records };
  const page = pageHtml(register, content);
  return { bytes: page.bytes, records: page.shown };
}
