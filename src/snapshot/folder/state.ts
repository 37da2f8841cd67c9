// The state files of a folder: the manifest of its complete state, and the journal of an interrupted run.
import type { Tier } from '../../register/tier.ts';
import type { Place } from '../places/place.ts';
import { MANIFEST_FILE } from '../../archive/layout.ts';
import { type FileEntry, ManifestBytes, type ManifestHead } from './manifest.ts';

/** The name of the journal: if it exists, a run was interrupted. */
export const JOURNAL_FILE = 'manifest.next.json';

/**
 * A line of the journal: the beginning of a run, or a file that is about to get these bytes or, with null, to be
 * deleted.
 */
export interface JournalLine {
  readonly gazette_snapshot?: 'begun';
  readonly tier?: Tier;
  readonly path?: string;
  readonly file?: FileEntry | null;
}

/** What interrupted runs have begun. */
export interface Journal {
  readonly tier: Tier | null;
  /** The possible states of each file they named: its digests, null for a deleted file. */
  readonly digests: ReadonlyMap<string, ReadonlySet<string | null>>;
}

/** A folder whose files can be read. */
type Readable = Pick<Place, 'nameOf' | 'read'>;

/** The manifest in a folder; null if there is none. @throws GazetteError `damaged_snapshot` */
export async function readManifest<Head extends ManifestHead>(place: Readable): Promise<ManifestBytes<Head> | null> {
  const bytes = await place.read(MANIFEST_FILE);
  return bytes === null ? null : new ManifestBytes<Head>(bytes, place.nameOf(MANIFEST_FILE));
}

/** The journal in a folder; null if there is none. */
export async function readJournal(place: Readable): Promise<Journal | null> {
  const bytes = await place.read(JOURNAL_FILE);
  if (bytes === null) return null;
  const digests = new Map<string, Set<string | null>>();
  let tier: Tier | null = null;
  for (const text of bytes.toString('utf8').split('\n')) {
    const line = parseLine(text);
    tier = line?.tier ?? tier;
    if (line?.path === undefined || line.file === undefined) continue;
    const known = digests.get(line.path) ?? new Set();
    digests.set(line.path, known.add(line.file?.sha256 ?? null));
  }
  return { tier, digests };
}

/** Lines for the journal. If a kill has cut off the line before them, that line stays separate. */
export function journalText(lines: readonly JournalLine[]): string {
  return `\n${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`;
}

/** A line that was cut off describes nothing that was done. */
function parseLine(text: string): JournalLine | null {
  try {
    return JSON.parse(text) as JournalLine | null;
  } catch {
    return null;
  }
}
