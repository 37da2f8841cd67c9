// `gazette snapshot`: registers as files that any static host can serve, in a folder or a bucket, brought up to date by each run.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { counted } from '../../register/counted.ts';
import { choice, type Undescribed, command, flag, list, required, text, type ValuesOf } from '../command.ts';
import { Progress } from '../io/progress.ts';
import { EXPORT_FORMATS } from '../../formats/index.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import { FORMAT_MODULE, moduleUrls } from '../options/format-module.ts';
import { STORE, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';
import { bucketOf } from '../process/places/bucket.ts';

/** How often `--watch` checks for changes: one small query of the store. */
const WATCH_EVERY_MS = 2000;

const OPTIONS = {
  out: required(text('<folder>', 'the folder to write, or a bucket such as s3://registers/public')),
  baseUrl: required(text('<url>', 'the address at which the files will be found, such as https://example.org')),
  feed: list('<feed_id>', 'write only this register', 'all'),
  tier: choice(
    '<tier>',
    'public: the latest records in full and previews of the others; pro: everything',
    ['public', 'pro'],
    'public',
  ),
  whole: flag('also write each register as one file (CSV, Parquet, GeoJSON), and its changes by month'),
  formatModule: FORMAT_MODULE,
  search: flag('a search in the pages, which a browser does by itself (needs the package pagefind)'),
  watch: flag('keep running, and write what changes'),
  store: STORE,
};

/** `gazette snapshot`. */
export const snapshotCommand: Undescribed = command({
  arguments: [],
  options: OPTIONS,
  run: (_, options, { io, signal }) => snapshot(options, io, signal),
});

async function snapshot(options: ValuesOf<typeof OPTIONS>, io: Io, signal: AbortSignal): Promise<void> {
  // The help needs none of it.
  const { SnapshotWriter } = await import('../../snapshot/run.ts');
  await withStore(options, io, async (store) => {
    const { baseUrl, feed, tier, whole, search } = options;
    const out = bucketOf(options.out, io) ?? options.out;
    let written = await stateOf(store);
    // Locked as long as it watches: two processes that write the same folder in turns would undo each other's work.
    const progress = new Progress(io.stderr, null, undefined, 'making pages');
    const writer = await SnapshotWriter.open({
      ...{ store, out, baseUrl, tier, whole: whole === true, search: search === true, signal },
      ...(feed.length === 0 ? {} : { feeds: feed }),
      formats: [...EXPORT_FORMATS, ...moduleUrls(options)],
      onProgress: ({ records, of }) => {
        progress.update({ records, bytesRead: 0, of });
      },
      onRegister({ feedId, records, written }) {
        progress.clear();
        // `--watch` reports only changes; otherwise there would be too many lines.
        if (written === 0 && options.watch === true) return;
        io.stderr.write(`gazette: ${feedId}: ${counted(records, 'record')}, ${counted(written, 'file')} written\n`);
      },
    });
    try {
      await writer.write();
      while (options.watch === true) {
        // Ending it is not a failure.
        await wait(WATCH_EVERY_MS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        const state = await stateOf(store);
        if (state === written) continue;
        written = state;
        await writer.write();
      }
    } finally {
      progress.clear();
      await writer.close();
    }
  });
}

/** A text that changes whenever anything in any register does, or a log is signed. */
async function stateOf(store: ServiceStore): Promise<string> {
  const { SNAPSHOTS } = await import('../../wings/snapshots.ts');
  const digest = createHash('sha256');
  for (const wing of SNAPSHOTS) for (const state of await wing.states(store)) digest.update(state);
  for await (const entries of store.catalogue.walk()) digest.update(JSON.stringify(entries));
  return digest.digest('hex');
}
