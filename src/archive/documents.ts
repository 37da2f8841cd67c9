// A page as a document: JSON, or one of a format. Snapshots write them as files, the service answers with them, and the
// bytes are the same.
import { headFor } from '../formats/dated-head.ts';
import { encode } from '../formats/encode.ts';
import type { DocumentHead, Format } from '../formats/format.ts';
import type { Page } from '../register/page.ts';
import { type ArchivedRegister, fileUrl, headOf, type PageContent } from './content.ts';

const ENCODER = new TextEncoder();

/** The page as JSON: the service's list, with `previous` instead of `next_offset`. */
export function jsonDocument(register: ArchivedRegister, { place, answers }: PageContent): Uint8Array {
  const page = {
    feed_id: register.definition.id,
    records: answers,
    as_of: place.to,
    previous: place.previous === null ? null : fileUrl(register, place.previous, 'json'),
  };
  return ENCODER.encode(`${JSON.stringify(page)}\n`);
}

/** The page in a format. @throws GazetteError the errors of the format */
export async function formatDocument(
  register: ArchivedRegister,
  content: PageContent,
  format: Format,
): Promise<Uint8Array> {
  return renderFormat(format, headOf(register, content, format.extension), {
    records: content.records,
    nextOffset: null,
    asOf: content.place.to,
  });
}

/** One page as a document of a format. @throws GazetteError the errors of the format */
export async function renderFormat(format: Format, head: DocumentHead, page: Page): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of encode([page], format, headFor(format, head, page.records))) chunks.push(chunk);
  return Buffer.concat(chunks);
}
