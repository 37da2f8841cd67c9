// A page in each of its formats, by the writers of the service.
import { headFor } from '../../formats/dated-head.ts';
import { encode } from '../../formats/encode.ts';
import type { DocumentHead, Format } from '../../formats/format.ts';
import type { Page } from '../../register/page.ts';
import { pageHtml } from './html.ts';
import type { Ending } from './layout.ts';
import type { PageWriters } from './formats.ts';
import { fileUrl, headOf, type PageContent, type SnapshotRegister } from './content.ts';

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
  if (ending === 'json' && format === null) return { bytes: ENCODER.encode(pageJson(register, content)), records };
  if (format === null) {
    const page = pageHtml(register, content);
    return { bytes: page.bytes, records: page.shown };
  }
  const bytes = await renderFormat(format, headOf(register, content, ending), {
    records: content.records,
    nextOffset: null,
    asOf: content.place.to,
  });
  return { bytes, records };
}

const ENCODER = new TextEncoder();

/** One page as a document of a format. */
export async function renderFormat(format: Format, head: DocumentHead, page: Page): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of encode([page], format, headFor(format, head, page.records))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The page as JSON: the service's list, with `previous` instead of `next_offset`. */
function pageJson(register: SnapshotRegister, { place, answers }: PageContent): string {
  const page = {
    feed_id: register.definition.id,
    records: answers,
    as_of: place.to,
    previous: place.previous === null ? null : fileUrl(register, place.previous, 'json'),
  };
  return `${JSON.stringify(page)}\n`;
}
