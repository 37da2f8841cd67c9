// `gazette export -`: a publisher's records, from a file or standard input, as one document; no store has a part in it.
import { registerSchema } from '../formats/xsd.ts';
import { parseMapping } from '../ingest/mapping.ts';
import { openRecordStream } from '../ingest/record-stream.ts';
import type { DefinitionInput } from '../register/definition.ts';
import { readAuthority, readDefinition } from './definition-file.ts';
import { chooseFormat, type DocumentOptions, encodeText, writeAll, writeRegister } from './document.ts';
import { openInput, openReader, type ReaderOptions } from './input.ts';
import { tellNotes } from './notes.ts';

/** The options of the command. */
export interface FileExportOptions extends DocumentOptions, ReaderOptions {
  readonly input?: string;
  readonly definition?: string;
  readonly map: readonly string[];
  readonly observedAt?: string;
  readonly feedId?: string;
  readonly authority?: string;
  readonly xsd?: true;
}

/** Writes the records of a file or standard input as one document, or prints the schema of its XML. */
export async function exportFile(options: FileExportOptions, signal: AbortSignal): Promise<void> {
  const format = options.xsd === true ? null : await chooseFormat(options);
  const mapping = parseMapping(options.map);
  const constants = readConstants(options);
  const definition = options.definition === undefined ? undefined : await readDefinition(options.definition, constants);
  if (format === null && definition !== undefined) {
    await writeAll([encodeText(registerSchema(definition))], options.output, signal);
    return;
  }
  const input = openInput(options.input);
  const stream = await openRecordStream(openReader(input, options), {
    ...(definition === undefined ? { constants } : { definition }),
    ...(options.observedAt === undefined ? {} : { observedAt: options.observedAt }),
    mapping,
    signal,
  });
  try {
    if (format === null) await writeAll([encodeText(registerSchema(stream.definition))], options.output, signal);
    else {
      const progress = {
        totalBytes: input.size,
        state: () => ({ bytesRead: input.bytesRead }),
        authorityHint: 'give --authority NAME,YEAR, or a definition with both',
      };
      await writeRegister(stream, format, options, progress, signal);
      tellNotes(stream.notes(), process.stderr);
    }
  } finally {
    await stream.close();
  }
}

/** What the command line says of the register. */
function readConstants(options: FileExportOptions): Partial<DefinitionInput> {
  return {
    ...(options.feedId === undefined ? {} : { id: options.feedId }),
    ...(options.authority === undefined ? {} : readAuthority(options.authority)),
  };
}
