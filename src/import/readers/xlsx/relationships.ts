// The relationships of a part to others, and to addresses outside the workbook (ECMA-376-2 6.5).
import type { Archive } from './archive.ts';
import { readWholePart } from './xml-part.ts';

/** What a part refers to. */
export interface Relationship {
  readonly type: string;
  /** The name of the other part; empty for an address outside. */
  readonly part: string;
  /** The address outside, as it is written. */
  readonly external?: string;
}

/** The relationships in a part, by their ids. @param folder the folder of the part that has them */
export async function readRelationships(
  archive: Archive,
  input: string,
  part: string,
  folder: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Relationship>> {
  const found = new Map<string, Relationship>();
  await readWholePart(
    archive,
    input,
    part,
    {
      open(name, { Id, Type, Target, TargetMode }) {
        if (name !== 'Relationship' || Id === undefined || Type === undefined || Target === undefined) return;
        if (TargetMode === 'External') found.set(Id, { type: Type, part: '', external: Target });
        else found.set(Id, { type: Type, part: resolve(folder, Target) });
      },
    },
    signal,
  );
  return found;
}

/** A target is relative to its folder; one that starts with a slash is relative to the archive. */
function resolve(folder: string, target: string): string {
  return new URL(target, `archive:///${folder}`).pathname.slice(1);
}
