// `manifest.json`: what a folder of a snapshot holds, file by file. Written last, so that a folder with a manifest and
// without a journal is whole. It ends with its own digest: whoever changes it has to mean to.
import { hash } from 'node:crypto';
import { GazetteError } from '../errors.ts';
import type { Tier } from '../register/tier.ts';

/** The name of the manifest, in a register's folder and at the root. */
export const MANIFEST_FILE = 'manifest.json';

/** The number of the manifest's own form. */
const MANIFEST_VERSION = 1;

/** One file. Those without records say only what they are made of. */
export interface FileEntry {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly records?: number;
  /** The lowest and the highest position the file covers. */
  readonly positions?: readonly [from: number, to: number];
  readonly tier?: Tier;
  /** The position at which its view ends. */
  readonly as_of?: number;
}

/** The files of a folder by their names in it. */
export type Files = Readonly<Record<string, FileEntry>>;

/** What stands in every manifest. */
interface ManifestHead {
  readonly gazette_snapshot: typeof MANIFEST_VERSION;
  readonly tier: Tier;
  readonly base_url: string;
  readonly files: Files;
}

/** The manifest of a register's folder. */
export interface RegisterManifest extends ManifestHead {
  readonly feed_id: string;
  readonly title: string;
  /** The highest position. */
  readonly as_of: number;
  /** The number of the last change that is in these files. */
  readonly change: number;
  /** Tells that change from one of the same number in a register that was made anew. */
  readonly change_mark: string | null;
  /** Tells these files from those that another definition, version or address gives. */
  readonly shape: string;
  /** Live records. */
  readonly total: number;
  /** The pages that together hold every record once, newest first, without their endings. */
  readonly walk: readonly string[];
}

/** The manifest at the root. */
export interface RootManifest extends ManifestHead {
  /** The registers, each in a folder of its name. */
  readonly feeds: readonly string[];
}

/** The members a manifest begins with. */
export function manifestHead(tier: Tier, baseUrl: string, files: Files): ManifestHead {
  return { gazette_snapshot: MANIFEST_VERSION, tier, base_url: baseUrl, files };
}

/** The SHA-256 of bytes or a text, in hex. */
export function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** A manifest as its file holds it. */
export function manifestText(manifest: RegisterManifest | RootManifest): string {
  const text = JSON.stringify(manifest, null, 1);
  return `${text.slice(0, -2)},\n "sha256": "${digestOf(text)}"\n}\n`;
}

/**
 * The manifest a file's text holds.
 *
 * @throws GazetteError `damaged_snapshot` when it is not, to the byte, what {@link manifestText} wrote; `path` says where.
 */
export function parseManifest(text: string, path: string): RegisterManifest | RootManifest {
  // Its own digest stands in the text alone.
  const members = text.replace(/,\n "sha256": "[0-9a-f]{64}"\n\}\n$/, '\n}');
  let manifest: RegisterManifest | RootManifest | null = null;
  try {
    manifest = JSON.parse(members) as RegisterManifest | RootManifest | null;
  } catch {
    // Said below: no JSON is no manifest either.
  }
  if (manifest?.gazette_snapshot !== MANIFEST_VERSION || manifestText(manifest) !== text) {
    throw new GazetteError('damaged_snapshot', `${path} is not as gazette wrote it`, { details: { path } });
  }
  return manifest;
}
