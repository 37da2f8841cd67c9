// Small tools the tests of every format share: collect a document's bytes, cut records into pages, walk pages as a
// source would while counting what is asked of it.
import { encode, type EncodeOptions } from '../../src/formats/encode.ts';
import type { DocumentHead, Format, FormatOptions } from '../../src/formats/format.ts';
import type { Page } from '../../src/register/page.ts';

export { CountedPages, pagesOfSize } from '../../src/testing/counted-pages.ts';

/** All chunks as one buffer. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** The whole document a format makes of pages. */
export async function encodeAll<Options extends FormatOptions>(
  format: Format<Options>,
  head: DocumentHead,
  pages: Iterable<Page> | AsyncIterable<Page>,
  options?: Options & EncodeOptions,
): Promise<Buffer> {
  return collect(encode(pages, format, head, options));
}
