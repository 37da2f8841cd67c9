// The pages of a register in a snapshot, compared with its signed log: as many records at each place as the log says there are.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_FILE } from '../../../archive/layout.ts';
import { GazetteError } from '../../../errors.ts';
import { counted } from '../../../register/counted.ts';
import { ManifestBytes, type RegisterManifestHead } from '../../../snapshot/folder/manifest.ts';

/** What the log of a register says of its records. */
export interface LoggedRecords {
  readonly feedId: string;
  /** How many changes are signed. */
  readonly size: number;
  /** The positions of the records that there are after the last of these changes. */
  readonly positions: ReadonlySet<number>;
}

/**
 * Compares the manifest of a register's folder, whose counts `verifySnapshot()` has compared with the files, with the log. Pages for
 * people are left out, which may show fewer records, and proofs.
 *
 * @returns how many changes the pages have that the log has not signed yet: as many records may differ
 * @throws GazetteError `invalid_proof` with the file that has other records
 */
export async function checkPages(folder: string, { feedId, size, positions }: LoggedRecords): Promise<number> {
  const path = join(folder, feedId, MANIFEST_FILE);
  const manifest = new ManifestBytes<RegisterManifestHead>(await readFile(path), path);
  const { total } = manifest.head;
  const unsigned = unsignedIn(manifest.head, size);
  const sorted = Float64Array.from(positions).sort();
  for (const [name, { records, positions: range }] of Object.entries(manifest.files())) {
    if (records === undefined || range === undefined || /\.(?:html|proof\.ndjson)$/.test(name)) continue;
    const [from, to] = range;
    const logged = below(sorted, to + 1) - below(sorted, from);
    if (Math.abs(records - logged) <= unsigned) continue;
    throw mismatch(join(folder, feedId, name), records, `${logged} with positions ${from} to ${to}`);
  }
  if (Math.abs(total - positions.size) > unsigned) throw mismatch(path, total, `${positions.size}`);
  return unsigned;
}

/** How many changes a folder's pages may have that a log of this size has not signed. */
export function unsignedIn({ change, read_to: readTo = change }: RegisterManifestHead, size: number): number {
  return Math.max(readTo - size, 0);
}

function mismatch(path: string, records: number, logged: string): GazetteError {
  return new GazetteError(
    'invalid_proof',
    `${path} has ${counted(records, 'record')}; by the signed log there are ${logged}`,
  );
}

/** How many of the numbers, which rise, are lower. */
function below(sorted: Float64Array, number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
