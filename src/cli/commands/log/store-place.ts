// The logs in a store, as `gazette verify` compares them with what is signed: the tiles that the store holds, and entries that it makes
// of its versions.
import { GazetteError } from '../../../errors.ts';
import type { LogPlace } from '../../../mirror/proved/folder.ts';
import { CHECKPOINT } from '../../../mirror/proved/head.ts';
import { nameOfLog, signedCheckpoint, signedHead, tileBytes } from '../../../operate/logs/log-files.ts';
import { TILE_WIDTH } from '../../../proofs/tiles.ts';
import type { LogStore, StoredLog } from '../../../stores/contract/proofs/logs.ts';

/** The logs in a store. @param name of the store, for messages */
export function storePlace(logs: LogStore, name: string): LogPlace {
  const find = async (feedId: string | null, uuid: string): Promise<StoredLog> => {
    const log = await (feedId === null ? logs.ofLogs() : logs.of(feedId));
    if (log.uuid === uuid) return log;
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
    async tiles(feedId, uuid) {
      const { size } = signedHead(signedCheckpoint(await find(feedId, uuid)));
      // All of a size are compared anyway; a store has no others.
      return size === 0 ? [] : [{ level: 'entries', index: 0, width: Math.min(size, TILE_WIDTH) }];
    },
    async registers() {
      return (await logs.all()).filter(({ checkpoint }) => checkpoint !== null);
    },
  };
}
