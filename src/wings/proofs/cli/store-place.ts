// The logs in a store, as `gazette verify` compares them with what is signed: the tiles that the store holds, and entries that it makes
// of its versions.
import { GazetteError } from '../../../errors.ts';
import { CHECKPOINT, type ListingSource } from '../mirror/log-source.ts';
import { nameOfLog, signedCheckpoint, tileBytes } from '../operate/log-files.ts';
import type { LogStore, StoredLog } from '../stores/contract/logs.ts';

/** The logs in a store. @param name of the store, for messages */
export function storePlace(logs: LogStore, name: string): ListingSource {
  const find = async (feedId: string | null, logName: string): Promise<StoredLog> => {
    const log = await (feedId === null ? logs.ofLogs() : logs.of(feedId));
    if (log.name === logName) return log;
    throw new GazetteError('invalid_proof', `${name} has ${nameOfLog(feedId)} under another name than the key's`);
  };
  return {
    files: (feedId, uuid) => ({
      place: `${nameOfLog(feedId)} in ${name}`,
      async read(path) {
        const log = await find(feedId, uuid);
        return path === CHECKPOINT ? Buffer.from(signedCheckpoint(log)) : tileBytes(logs, log, path);
      },
    }),
    // It makes them of its versions, and holds the tiles of one size, which are compared anyway.
    hasEntries: () => Promise.resolve(true),
    earlierTiles: () => Promise.resolve([]),
    async logOfLogs() {
      const { checkpoint, origin } = await logs.ofLogs();
      return checkpoint === null ? null : origin;
    },
    async registers() {
      const all = await logs.all();
      return all.flatMap(({ feedId, name }) => (name === null ? [] : [{ feedId, uuid: name }]));
    },
  };
}
