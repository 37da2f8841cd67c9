// `gazette snapshot`: registers as files that any static host can serve, in a folder or a bucket, brought up to date by each run.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { counted } from '../../register/counted.ts';
import { repeatable } from '../options/collect.ts';
import { Progress } from '../io/progress.ts';
import { EXPORT_FORMATS } from '../../formats/index.ts';
import type { Tier } from '../../register/tier.ts';
import { SnapshotWriter } from '../../snapshot/run.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import { type FormatModuleOptions, formatModuleOption, moduleUrls } from '../options/format-module.ts';
import { storeOption, type StoreOptions, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';
import { bucketOf } from '../process/places/bucket.ts';

/** The command's options as commander gives them. */
interface SnapshotOptions extends StoreOptions, FormatModuleOptions {
  readonly out: string;
  readonly baseUrl: string;
  readonly feed: readonly string[];
  readonly tier: Tier;
  readonly watch?: true;
}

/** How often `--watch` checks for changes: one small query of the store. */
const WATCH_EVERY_MS = 2000;

/** Adds `gazette snapshot` to the program. */
export function addSnapshot(program: Command, io: Io, signal: AbortSignal): void {
  program
    .command('snapshot')
    .description('Write registers as files for a static host. A later run writes only what has changed.')
    .requiredOption('--out <folder>', 'the folder to write, or a bucket such as s3://registers/public')
    .requiredOption('--base-url <url>', 'the address at which the files will be found, such as https://example.org')
    .addOption(repeatable('--feed <feed_id>', 'write only this register', 'all'))
    .addOption(
      new Option('--tier <tier>', 'public: the latest records in full and previews of the others; pro: everything')
        .default('public')
        .choices(['public', 'pro']),
    )
    .addOption(formatModuleOption())
    .option('--watch', 'keep running, and write what changes')
    .addOption(storeOption())
    .action((options: SnapshotOptions) => snapshot(options, io, signal));
}

async function snapshot(options: SnapshotOptions, io: Io, signal: AbortSignal): Promise<void> {
  await withStore(options, io, async (store) => {
    const { baseUrl, feed, tier } = options;
    const out = bucketOf(options.out, io) ?? options.out;
    let written = await stateOf(store);
    // Locked as long as it watches: two processes that write the same folder in turns would undo each other's work.
    const progress = new Progress(io.stderr, null, undefined, 'making pages');
    const writer = await SnapshotWriter.open({
      ...{ store, out, baseUrl, tier, signal },
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
async function stateOf(store: Pick<ServiceStore, 'catalogue' | 'logs'>): Promise<string> {
  const digest = createHash('sha256');
  for (const { checkpoint } of await store.logs.all()) digest.update(JSON.stringify(checkpoint));
  for await (const entries of store.catalogue.walk()) digest.update(JSON.stringify(entries));
  return digest.digest('hex');
}
