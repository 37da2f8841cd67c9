// A register as a sequence of finished pages, as a client gets them that follows `Link` to the last page.
import type { Filter } from '../register/finding/filter.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import { type AsOf, PAGE_SIZE } from '../register/page.ts';
import { parsePageQuery } from '../register/query.ts';
import type { RegisterSource } from '../register/sources/source.ts';
import { type ExportPage, exportPage } from './page.ts';
import type { ExportOptions } from './document-head.ts';

/** Options of {@link walkExportPages}. */
export interface WalkExportOptions<Options extends FormatOptions = FormatOptions> extends ExportOptions<Options> {
  /** The absolute public URL of the export; its query is replaced by each page's own. */
  readonly url: URL;
  /** Which records to export. Default: all. */
  readonly filter?: Filter;
  /** Records per page, 1 to 100. Default 100. */
  readonly limit?: number;
  /** The view to read. Default: the source's newest. */
  readonly asOf?: AsOf;
  /** Stops the walk; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * Every page of a register in a format, newest first, in the view of the first page.
 *
 * @throws GazetteError as {@link exportPage} does; `aborted` once `signal` fires.
 * @example
 * for await (const page of walkExportPages(permits, atom, { url })) await writeFile(name(page.url), page.body);
 */
export async function* walkExportPages<Options extends FormatOptions>(
  source: RegisterSource,
  format: Format<Options>,
  options: WalkExportOptions<Options>,
): AsyncGenerator<ExportPage, void, undefined> {
  const { filter, limit = PAGE_SIZE, asOf, signal, ...rest } = options;
  let query = {
    limit,
    offset: 0,
    ...(asOf === undefined ? {} : { asOf }),
    ...(filter === undefined ? {} : { filter }),
    ...(signal === undefined ? {} : { signal }),
  };
  for (;;) {
    const page = await exportPage(source, format, { ...rest, query });
    yield page;
    if (page.nextUrl === null) return;
    // The next link contains everything that the next page needs, exactly as for a client (specification 4.2.2).
    query = { ...query, ...parsePageQuery(page.nextUrl.searchParams, { defaultLimit: limit }) };
  }
}
