// A snapshot behind a plain static file server, read by other people's programs: feedparser follows the archives to the
// first record, newsboat takes every page.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tier } from '../../src/register/tier.ts';
import { writeSnapshot } from '../../src/snapshot/run.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { keyAt, statementAt } from '../world.ts';
import { at, permits } from '../contracts/store-register.ts';
import { freePort } from '../docs/free-port.ts';
import { missing, program, PYTHON } from './tools.ts';
import { until } from '../until.ts';

/** Four archives and a newest page. */
const COUNT = 530;

const folder = mkdtempSync(join(tmpdir(), 'gazette-conformance-'));
const site = join(folder, 'site');
let stop = (): void => undefined;
let base = '';

const expected = Array.from(
  { length: COUNT },
  (_, index) => `tag:example.org,2026:record/permits:${keyAt(COUNT - index)}`,
);

beforeAll(async () => {
  // Python's server has to be told one before it says which it took.
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const store = SqliteStore.open(':memory:');
  await store.createRegister(permits());
  const batch = Array.from({ length: COUNT }, (_, index) => statementAt(index + 1, COUNT));
  await store.apply('permits', batch, { recordedAt: at(COUNT) });
  for (const tier of ['public', 'pro'] as const) {
    await writeSnapshot({ store, out: join(site, tier), baseUrl: `${base}/${tier}`, tier });
  }
  const server = spawn(PYTHON, ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', site], {
    stdio: 'ignore',
  });
  stop = () => void server.kill();
  await until('the static server', async () => {
    const answer = await fetch(`${base}/public/index.html`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status === 200;
  });
});

afterAll(() => {
  stop();
  rmSync(folder, { recursive: true });
});

describe.each<Tier>(['public', 'pro'])('a snapshot of tier %s behind a static file server', (tier) => {
  const feedparser = missing(PYTHON, '-c', 'import feedparser');
  it.skipIf(feedparser !== null).each(['atom', 'rss'])(
    `leads feedparser from the newest page to every record once, as %s (${feedparser ?? 'feedparser'})`,
    async (format) => {
      const reader = join(import.meta.dirname, 'snapshot-reader.py');
      const output = await program(PYTHON, reader, `${base}/${tier}/permits/index.${format}`);
      const documents = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as string[]);
      expect(documents.map(({ length }) => length)).toEqual([130, 100, 100, 100, 100]);
      expect(documents.flat()).toEqual(expected);
    },
  );

  const newsboat = missing('newsboat', '--version');
  it.skipIf(newsboat !== null).each(['atom', 'rss'])(
    `gives newsboat every record once, as %s (${newsboat ?? 'newsboat'})`,
    async (format) => {
      const home = join(folder, `newsboat-${tier}-${format}`);
      const pages = readdirSync(join(site, tier, 'permits/pages')).filter((name) => name.endsWith(`.${format}`));
      const urls = [`index.${format}`, ...pages.map((name) => `pages/${name}`)];
      writeFileSync(`${home}.urls`, urls.map((name) => `${base}/${tier}/permits/${name}\n`).join(''));
      writeFileSync(`${home}.config`, '');
      const files = ['-u', `${home}.urls`, '-c', `${home}.db`, '-C', `${home}.config`];
      await program('newsboat', ...files, '-x', 'reload');
      // It follows no archives, so it is given them; a record that it meets twice it knows by its id.
      expect((await program('newsboat', ...files, '-x', 'print-unread')).trim()).toBe(`${COUNT} unread articles`);
    },
  );
});
