// Creates all files of one page and writes them under temporary names: the work of a snapshot's thread.
import { join } from 'node:path';
import { contentOf } from '../../archive/content.ts';
import type { RegisterRecord } from '../../register/record.ts';
import type { PagePlace } from '../../archive/layout.ts';
import { fileNames, type SnapshotRegister } from './content.ts';
import type { PageWriters } from './formats.ts';
import { renderPage } from './render.ts';
import { stageFile } from '../../files/staged-file.ts';
import { fileEntry, type StagedFile } from '../folder/staged-file.ts';

/** A page to create. */
export interface PageOrder {
  readonly place: PagePlace;
  /** The live records of the page, newest first. */
  readonly records: readonly RegisterRecord[];
  /** Digests, by name, of the files that certainly exist: one with the same digest is not written again. */
  readonly known: Readonly<Record<string, string>>;
  /** When the register last changed, RFC 3339. */
  readonly lastChange: string | null;
}

/** A register, and the folder where its files wait. */
export interface PageTarget {
  readonly register: SnapshotRegister;
  readonly path: string;
}

/**
 * Creates the files of a page that these writers write. While one is being written to disk, the next one is created.
 *
 * @throws GazetteError the errors of the formats and the file system.
 */
export async function makePageFiles(
  { register, path }: PageTarget,
  order: PageOrder,
  writers: PageWriters,
): Promise<readonly StagedFile[]> {
  const { place, records, known, lastChange } = order;
  const content = contentOf(register, place, records, lastChange);
  const facts = {
    positions: [place.from, place.to] as const,
    ...{ tier: register.tier, as_of: place.to },
  };
  const names = fileNames(writers.keys(), place.name);
  const files: StagedFile[] = [];
  const writing: Promise<void>[] = [];
  const failures: unknown[] = [];
  try {
    for await (const { bytes, records: shown } of renderPage(register, content, writers)) {
      const name = names[files.length]!;
      const entry = fileEntry(bytes, { records: shown, ...facts });
      const isWritten = known[name] !== entry.sha256;
      files.push({ name, entry, isWritten });
      if (isWritten)
        writing.push(stageFile(join(path, name), bytes).catch((error: unknown) => void failures.push(error)));
    }
  } finally {
    // Even after a failure, no work on this page continues when the call ends.
    await Promise.all(writing);
  }
  if (failures.length > 0) throw failures[0];
  return files;
}
