// Builds the head of an exported document from the register, the caller's options and the page.
import type { DocumentHead, FormatOptions } from '../formats/format.ts';
import type { RegisterSource, RegisterStream } from '../register/sources/source.ts';

/** Options of an export besides the register and the format. */
export interface ExportOptions<Options extends FormatOptions = FormatOptions> {
  /** The format's own options. */
  readonly formatOptions?: Options;
  /** The absolute URL of the register's page for people. Default: the definition's `homepage`. */
  readonly alternate?: string;
  /** The absolute URL of the list endpoint, which has the complete register; feeds mention it. */
  readonly list?: string;
  /**
   * The URL of the register's XML schema, which XML documents then point to (`xsi:schemaLocation`): absolute, or
   * relative to the document.
   */
  readonly schema?: string;
  /**
   * The absolute URL of a record's page for people, with `{id}` for its id: `https://example.org/records/{id}`. Without
   * it, feeds link to the source.
   */
  readonly recordUrl?: string;
  /**
   * Which fields the document has, in this order: `['title', 'data.country']`. `id` always comes. RSS and Atom refuse them. See
   * {@link DocumentHead.fields}. Default: all.
   */
  readonly fields?: readonly string[];
}

/** The head of a document about this register; `view` is what the page or the walk adds. */
export async function documentHead(
  register: RegisterSource | RegisterStream,
  options: ExportOptions,
  view: Pick<DocumentHead, 'asOf' | 'filter' | 'links' | 'pagingNote'>,
): Promise<DocumentHead> {
  const alternate = options.alternate ?? register.definition.homepage ?? undefined;
  const { recordUrl } = options;
  return {
    definition: register.definition,
    lastChange: (await register.lastChange?.()) ?? null,
    asOf: view.asOf,
    ...(view.filter === undefined ? {} : { filter: view.filter }),
    ...(options.fields === undefined ? {} : { fields: options.fields }),
    ...(view.pagingNote === undefined ? {} : { pagingNote: view.pagingNote }),
    links: {
      ...view.links,
      ...(alternate === undefined ? {} : { alternate }),
      ...(options.list === undefined ? {} : { list: options.list }),
      ...(options.schema === undefined ? {} : { schema: options.schema }),
    },
    ...(recordUrl === undefined ? {} : { recordUrl: (record) => recordUrl.replaceAll('{id}', () => record.id) }),
  };
}
