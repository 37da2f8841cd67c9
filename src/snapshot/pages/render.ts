// A page in each of its formats, by the writers that the service has.
import { encode } from '../../formats/encode.ts';
import type { DocumentHead } from '../../formats/format.ts';
import { HTTP_FORMATS } from '../../formats/index.ts';
import type { Page } from '../../register/page.ts';
import { pageHtml } from './html.ts';
import { ENDINGS, type Ending } from './layout.ts';
import { fileUrl, headOf, type PageContent, type SnapshotRegister } from './content.ts';

/** The bytes of every file of a page, in the order of its endings. @throws GazetteError what the formats throw. */
export async function* renderPage(
  register: SnapshotRegister,
  content: PageContent,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const ending of ENDINGS) yield await render(register, content, ending);
}

async function render(register: SnapshotRegister, content: PageContent, ending: Ending): Promise<Uint8Array> {
  if (ending === 'json') return new TextEncoder().encode(pageJson(register, content));
  if (ending === 'html') return new TextEncoder().encode(pageHtml(register, content));
  return renderFormat(ending, headOf(register, content, ending), {
    records: content.records,
    nextOffset: null,
    asOf: content.place.to,
  });
}

/** One page as a document of a format. */
export async function renderFormat(name: string, head: DocumentHead, page: Page): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of encode([page], HTTP_FORMATS[name]!, head)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The page as JSON: the service's list, `previous` in place of `next_offset`. */
function pageJson(register: SnapshotRegister, { place, answers }: PageContent): string {
  const page = {
    feed_id: register.definition.id,
    records: answers,
    as_of: place.to,
    previous: place.previous === null ? null : fileUrl(register, place.previous, 'json'),
  };
  return `${JSON.stringify(page)}\n`;
}
