// A snapshot: registers as files that any static host can serve, brought up to date by each run. One run at a time
// works on a folder.
import { join } from 'node:path';
import { GazetteError } from '../errors.ts';
import { checkBaseUrl } from '../export/link.ts';
import { isFeedId } from '../register/definition.ts';
import { feedUri } from '../register/identity.ts';
import { throwIfAborted } from '../register/source.ts';
import type { Tier, TierOptions } from '../register/tier.ts';
import { unknownFeed } from '../stores/register-head.ts';
import type { RegisterStore } from '../stores/store.ts';
import { readManifest, SnapshotFolder } from './folder.ts';
import { MANIFEST_FILE, manifestHead, type RegisterManifest, type RootManifest } from './manifest.ts';
import { siteFiles } from './site-files.ts';
import { type RegisterSnapshot, snapshotRegister } from './snapshot-register.ts';

/** What {@link writeSnapshot} takes. */
export interface SnapshotOptions {
  readonly store: RegisterStore;
  /** The folder, made where it is missing. */
  readonly out: string;
  /** The public address the folder will be found at, such as `https://example.org/registers`. */
  readonly baseUrl: string;
  /** The registers to write; those of earlier runs stay as they are. Default: all that the store has, and no others. */
  readonly feeds?: readonly string[];
  /** Default `public`: the latest records whole, previews of the others. */
  readonly tier?: Tier;
  /** How much the public sees. */
  readonly tiers?: TierOptions;
  readonly signal?: AbortSignal;
  /** Told of each register once its folder is whole. */
  readonly onRegister?: (register: RegisterSnapshot) => void;
}

/** What a run did. */
export interface SnapshotResult {
  readonly registers: readonly RegisterSnapshot[];
  /** Files written, the manifests apart. */
  readonly written: number;
}

/**
 * Writes a snapshot, or brings one up to date. Ended at any moment, by whatever, it leaves every file as it was or as it
 * is to be; the next run completes it.
 *
 * @throws GazetteError `invalid_option` for a base URL, or a tier other than that of the snapshot in the folder;
 *   `unknown_feed`, `authority_required`, `damaged_snapshot`, `output_failed`, `aborted`; what the store throws.
 * @example await writeSnapshot({ store, out: 'public', baseUrl: 'https://example.org' });
 */
export async function writeSnapshot(options: SnapshotOptions): Promise<SnapshotResult> {
  const { store, out, tier = 'public', tiers = {}, signal, onRegister } = options;
  const baseUrl = checkBaseUrl(options.baseUrl);
  const entries = new Map((await store.registers()).map((entry) => [entry.definition.id, entry]));
  const asked = [...new Set(options.feeds ?? entries.keys())];
  // Before anything is written: feeds need permanent ids.
  for (const feedId of asked) {
    const entry = entries.get(feedId);
    if (entry === undefined) throw unknownFeed(feedId);
    feedUri(entry.definition);
  }

  const folder = await SnapshotFolder.open<RootManifest>(out);
  checkTier(folder, out, tier);
  const before = folder.previous?.feeds ?? [];
  const feeds = [...new Set([...(options.feeds === undefined ? [] : before), ...asked])].sort();
  const removed = before.filter((feedId) => !feeds.includes(feedId));
  // The root is in work before any register is, and whole only after all are.
  const onBegin = (): Promise<void> => folder.begin(tier);
  if (folder.previous === null || removed.length > 0) await onBegin();

  const registers: RegisterSnapshot[] = [];
  for (const feedId of asked) {
    throwIfAborted(signal);
    const register = await snapshotRegister(
      store,
      feedId,
      join(out, feedId),
      { tier, tiers, baseUrl },
      { ...(signal === undefined ? {} : { signal }), onBegin },
    );
    registers.push(register);
    onRegister?.(register);
  }
  for (const feedId of removed) {
    if (isFeedId(feedId)) await folder.removeFolder(feedId);
  }

  const listed: { readonly title: string; readonly url: string }[] = [];
  const manifests = new Map<string, string>();
  for (const feedId of feeds) {
    const read = await readManifest(join(out, feedId));
    if (read === null) throw new GazetteError('damaged_snapshot', `${join(out, feedId, MANIFEST_FILE)} is missing`);
    listed.push({ title: (read.manifest as RegisterManifest).title, url: `${baseUrl}/${feedId}` });
    manifests.set(`${feedId}/${MANIFEST_FILE}`, read.text);
  }
  const encoder = new TextEncoder();
  for (const [name, text] of manifests) folder.name(name, encoder.encode(text));
  for (const [name, text] of Object.entries(siteFiles(listed, tier))) await folder.put(name, encoder.encode(text));
  if (folder.isChanged || folder.isInterrupted) {
    await onBegin();
    await folder.finish((files) => ({ ...manifestHead(tier, baseUrl, files), feeds }));
  }
  const written = registers.reduce((sum, register) => sum + register.written, folder.written);
  return { registers, written };
}

/** A folder has one tier for ever: while one is turned into another, what is whose would be anybody's guess. */
function checkTier(folder: SnapshotFolder<RootManifest>, out: string, tier: Tier): void {
  if (folder.tier === null || folder.tier === tier) return;
  throw new GazetteError(
    'invalid_option',
    `${out} holds a snapshot of the tier ${folder.tier}; give the tier ${tier} a folder of its own`,
    { details: { option: 'tier' } },
  );
}
