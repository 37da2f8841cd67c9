// A page in each of its formats, by the writers of the service.
import { headFor } from '../../formats/dated-head.ts';
import { encode } from '../../formats/encode.ts';
import type { DocumentHead, Format } from '../../formats/format.ts';
import type { Page } from '../../register/page.ts';
import { pageHtml } from './html.ts';
import type { Ending } from './layout.ts';
import type { PageWriters } from './formats.ts';
import { fileUrl, headOf, type PageContent, type SnapshotRegister } from './content.ts';

/**
 * The bytes of the files that these writers create from a page, in their order. @throws GazetteError the errors of the
 * formats.
 */
export async function* renderPage(
  register: SnapshotRegister,
  content: PageContent,
  writers: PageWriters,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const [ending, format] of writers) yield await render(register, content, ending, format);
}

async function render(
  register: SnapshotRegister,
  content: PageContent,
  ending: Ending,
  format: Format | null,
): Promise<Uint8Array> {
  if (format === null) {
    return new TextEncoder().encode(ending === 'json' ? pageJson(register, content) : pageHtml(register, content));
  }
  return renderFormat(format, headOf(register, content, ending), {
    records: content.records,
    nextOffset: null,
    asOf: content.place.to,
  });
}

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
