// A whole register as one document of any size, in constant memory, for files and pipes. HTTP serves a register page by
// page (page.ts).
import type { Filter } from '../register/finding/filter.ts';
import { headFor } from '../formats/dated-head.ts';
import { encodeWalk, type EncodeOptions } from '../formats/encode.ts';
import type { DocumentHead, Format, FormatOptions } from '../formats/format.ts';
import { checkFormatFor } from '../formats/index.ts';
import type { AsOf, Page } from '../register/page.ts';
import type { ByteRows } from '../register/sources/byte-rows.ts';
import {
  pages,
  pagesOrRows,
  type RegisterSource,
  type RegisterStream,
  type WalkOptions,
} from '../register/sources/source.ts';
import { type ExportOptions, documentHead } from './document-head.ts';

/** Options of {@link exportRegister}. */
export interface ExportRegisterOptions<Options extends FormatOptions = FormatOptions> extends ExportOptions<Options> {
  /** Which records to export. Default: all. */
  readonly filter?: Filter;
  /** The view to export; not allowed for a stream. */
  readonly asOf?: AsOf;
  /** The absolute URL of the document. */
  readonly self?: string;
  /** Stops the export; it then throws `aborted`. */
  readonly signal?: AbortSignal;
  /** See {@link EncodeOptions}. */
  readonly reusesChunks?: boolean;
  /** Called when a page has been taken over, with the number of its records. */
  readonly onPage?: (records: number) => void;
}

/**
 * Writes a whole register, or a one-pass stream, as one document.
 *
 * @throws GazetteError `authority_required` (RSS, Atom), `unknown_format` (GeoJSON of a register that does not say where its
 *   records are), `aborted`, and any error of the register.
 * @example for await (const chunk of exportRegister(permits, csv)) file.write(chunk);
 */
export async function* exportRegister<Options extends FormatOptions>(
  register: RegisterSource | RegisterStream,
  format: Format<Options>,
  options: ExportRegisterOptions<Options> = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { filter, asOf, signal, self, formatOptions, onPage, reusesChunks } = options;
  checkFormatFor(format, register.definition);
  const walkOptions = {
    ...(filter === undefined ? {} : { filter }),
    ...(asOf === undefined ? {} : { asOf }),
    ...(signal === undefined ? {} : { signal }),
  };
  // A writer of bytes takes all fields.
  const walk = (format.takesRows === true && options.fields === undefined ? pagesOrRows : pages)(register, walkOptions);
  try {
    // The head contains the view, which is known only with the first page.
    const first = await walk.next();
    const head = await documentHead(register, options, {
      asOf: first.done === true ? null : first.value.asOf,
      ...(filter === undefined ? {} : { filter }),
      ...(self === undefined ? {} : { links: { self } }),
      // Feeds say where the rest is: here nothing is missing, and there may be no list endpoint.
      ...(options.list === undefined ? { pagingNote: noteOf(filter) } : {}),
    });
    const encodeOptions = {
      ...formatOptions,
      ...(signal === undefined ? {} : { signal }),
      ...(reusesChunks === undefined ? {} : { reusesChunks }),
    } as Options & EncodeOptions;
    const dated = await datedHead(head, format, register, walkOptions);
    yield* encodeWalk(counted(first, walk, onPage), format, dated, encodeOptions);
  } finally {
    await walk.return();
  }
}

/** The head for a whole register, which is read for it. A stream can be read only once and has to know its last change. */
async function datedHead(
  head: DocumentHead,
  format: Format,
  register: RegisterSource | RegisterStream,
  options: WalkOptions,
): Promise<DocumentHead> {
  if (format.isDated !== true || 'pages' in register) return head;
  const asOf = head.asOf ?? undefined;
  let dated = head;
  for await (const { records } of pages(register, { ...options, ...(asOf === undefined ? {} : { asOf }) })) {
    dated = headFor(format, dated, records);
  }
  return dated;
}

function noteOf(filter: Filter | undefined): string {
  return `This document has every record of the register${filter === undefined ? '' : ' that matches'}.`;
}

async function* counted(
  first: IteratorResult<Page | ByteRows, void>,
  rest: AsyncGenerator<Page | ByteRows, void, undefined>,
  onPage: ((records: number) => void) | undefined,
): AsyncGenerator<Page | ByteRows, void, undefined> {
  for (let step = first; step.done !== true; step = await rest.next()) {
    yield step.value;
    onPage?.('bytes' in step.value ? step.value.count : step.value.records.length);
  }
}
