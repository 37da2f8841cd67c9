import { join } from 'node:path';
import { it } from 'vitest';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { folder } from '../../../cli/run.ts';
import { killSourceAndMirror } from './killed-mirror.ts';

it(
  'has a beginning of the log of its source wherever either is killed, and goes on',
  { timeout: 7_200_000 },
  async () => {
    const place = await folder();
    await killSourceAndMirror({
      ...{ source: join(place, 'source.db'), mirror: join(place, 'mirror.db') },
      open: (path) => Promise.resolve(SqliteStore.open(path)),
    });
  },
);
