// RSS and Atom, in pages of 100 records as feed readers fetch them.
import { SaxesParser } from 'saxes';
import { atomLoop, rssLoop } from './feed-loops.ts';
import { atomPeers, rssPeers } from './feed-peers.ts';
import { referenceContestant } from './reference.ts';
import { expectEqual, type Input, type Table, throughEncode } from './table.ts';
import type { Contestant } from '../harness.ts';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import { recordUris } from '../../src/register/identity.ts';

/** The table of RSS pages. */
export const rssTable: Table = {
  id: 'rss',
  title: 'RSS, pages',
  shape: 'pages',
  columns: 'all',
  sizes: { default: [2000], full: [2000] },
  goals: [
    { label: '>= 6 × the best package', atLeast: 6, against: ['rss', 'feedsmith', 'feed'] },
    { label: '>= 12 × feed', atLeast: 12, against: ['feed'] },
    { label: '>= 0.95 × the bare loop', atLeast: 0.95, against: ['bare loop'] },
  ],
  firstGoals: [{ label: '>= 2 × the best package', atLeast: 2, against: ['rss', 'feedsmith', 'feed'] }],
  check: (document, input, contestant) => {
    check(document, input, contestant, 'item', 'guid');
  },
  ours: async (input) => [
    throughEncode('gazette', 'native', rss, input, 'pages'),
    rssLoop(input, rss),
    ...(await referenceContestant('rss', 'feed', input, 'pages')),
  ],
  peers: rssPeers,
};

/** The table of Atom pages. */
export const atomTable: Table = {
  id: 'atom',
  title: 'Atom, pages',
  shape: 'pages',
  columns: 'all',
  sizes: { default: [2000], full: [2000] },
  goals: [
    { label: '>= 6 × the best package', atLeast: 6, against: ['feedsmith', 'feed'] },
    { label: '>= 12 × feed', atLeast: 12, against: ['feed'] },
    { label: '>= 0.95 × the bare loop', atLeast: 0.95, against: ['bare loop'] },
  ],
  firstGoals: [{ label: '>= 2 × the best package', atLeast: 2, against: ['feedsmith', 'feed'] }],
  check: (document, input, contestant) => {
    check(document, input, contestant, 'entry', 'id');
  },
  ours: async (input) => [
    throughEncode('gazette', 'native', atom, input, 'pages'),
    atomLoop(input, atom),
    ...(await referenceContestant('atom', 'feed', input, 'pages')),
  ],
  peers: atomPeers,
};

/** How much of a text is looked for: enough to know it by, short enough to end before the first escaped character. */
const PROBE = 18;

/** Reads the feed with saxes. @throws Error unless its items are the input's, each with its id, title and texts. */
function check(document: Buffer, input: Input, { name }: Contestant, itemTag: string, idTag: string): void {
  const parser = new SaxesParser();
  const items: { id: string; text: string }[] = [];
  let item: { id: string; text: string } | null = null;
  let path: string[] = [];
  const read = (text: string): void => {
    if (item === null) return;
    if (path.at(-1) === idTag) item.id += text;
    item.text += text;
  };
  parser.on('opentag', ({ name: tag }) => {
    path = [...path, tag];
    if (tag === itemTag) item = { id: '', text: '' };
  });
  parser.on('text', read);
  parser.on('cdata', read);
  parser.on('closetag', ({ name: tag }) => {
    path = path.slice(0, -1);
    if (tag !== itemTag) return;
    items.push(item!);
    item = null;
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(document.toString('utf8')).close();

  const uriOf = recordUris(input.definition);
  expectEqual(`${name}: items`, items.length, input.records.length);
  input.records.forEach(({ id, title, summary, content }, index) => {
    const found = items[index]!;
    expectEqual(`${name}: id`, found.id.trim(), uriOf(id));
    for (const text of [title, summary, content]) {
      if (text === null) continue;
      const probe = text.slice(0, PROBE).split('\n')[0]!;
      expectEqual(`${name}: ${id} holds ${probe}`, found.text.includes(probe), true);
    }
  });
}
