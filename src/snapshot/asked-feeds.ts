// Which registers a run writes.
import { unknownFeed } from '../stores/rows/register.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';

/** The registers to write. @throws GazetteError `unknown_feed` */
export async function feedsOf(store: RegisterStore, feeds: readonly string[] | undefined): Promise<readonly string[]> {
  if (feeds !== undefined) return checkFeeds(store, feeds);
  const all: string[] = [];
  for await (const entries of store.catalogue.walk()) all.push(...entries.map(({ definition }) => definition.id));
  return all;
}

/** The registers of these ids, each once. @throws GazetteError `unknown_feed` */
export async function checkFeeds(store: RegisterStore, feeds: readonly string[]): Promise<readonly string[]> {
  const asked = new Set(feeds);
  for (const feedId of asked) if ((await store.register(feedId)) === null) throw unknownFeed(feedId);
  return [...asked];
}
