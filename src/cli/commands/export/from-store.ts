// `gazette export FEED_ID`: a whole register of the store as one document, newest first, in the view of its first page.
import { registerSchema } from '../../../formats/xml/xsd.ts';
import { chooseFormat, type DocumentOptions, encodeText, writeAll, writeRegister } from '../../io/document.ts';
import { readFilter } from '../../options/filters.ts';
import { type StoreOptions, withStore } from '../../options/store.ts';
import type { Io } from '../../io/io.ts';

/** Writes a register as one document, or prints the schema of its XML. */
export async function exportRegisterOfStore(
  feedId: string,
  options: DocumentOptions & StoreOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const format = await chooseFormat(options, io);
  await withStore(options, io, async (store) => {
    const source = await store.source(feedId);
    if (format === null) {
      await writeAll([encodeText(registerSchema(source.definition))], options.output, io, signal);
      return;
    }
    // The number of records that pass a filter is known only at the end.
    const isWhole = readFilter(options) === undefined;
    const total = isWhole ? ((await store.register(feedId))?.total ?? null) : null;
    const progress = { totalBytes: null, state: () => ({ bytesRead: 0, of: total }) };
    await writeRegister(source, format, options, progress, io, signal);
  });
}
