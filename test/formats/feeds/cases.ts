// The table of RSS and Atom documents: head, records and the files in fixtures/expected/rss/ and fixtures/expected/atom/
// with the bytes, read by eye. `{version}` in them stands for gazette's own.
import { readFile } from 'node:fs/promises';
import type { DocumentHead } from '../../../src/formats/format.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { VERSION } from '../../../src/version.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';

/** One document of the table. */
export interface FeedCase {
  /** What the document shows, and the name of its file without the ending. */
  readonly name: string;
  readonly head: DocumentHead;
  readonly records: readonly RegisterRecord[];
}

/** A register that says as little of itself as it may. */
const BARE = defineRegister({
  id: 'bare',
  title: 'Bare',
  created_at: '2026-01-01T09:30:00+02:00',
  authority: 'registry@example.org',
  year: 2020,
});

/** A record whose fields say as little as they may. */
function line(key: string, changes: Partial<RegisterRecord> = {}): RegisterRecord {
  return {
    ...sampleRecord(6),
    id: `bare:${key}`,
    feed_id: 'bare',
    key,
    title: 'T',
    content_type: 'text',
    source_url: 'https://example.org/',
    observed_at: '2026-04-19',
    data: {},
    ...changes,
  };
}

const LINKS = {
  self: 'https://example.org/export?limit=3&offset=3',
  first: 'https://example.org/export',
  next: 'https://example.org/export?limit=3&offset=6',
  alternate: 'https://example.org/permits',
  list: 'https://example.org/api/v1/feeds/permits/records',
} as const;

/** Every document of the table. */
export const FEED_CASES: readonly FeedCase[] = [
  { name: 'empty', head: { definition: BARE, lastChange: null, asOf: null }, records: [] },
  {
    name: 'ordinary',
    head: { ...SAMPLE_HEAD, links: LINKS, recordUrl: ({ id }) => `https://example.org/records/${id}` },
    records: [8, 7, 6].map((position) => sampleRecord(position)),
  },
  {
    name: 'filtered',
    head: {
      definition: { ...SAMPLE_DEFINITION, homepage: null, description: '' },
      lastChange: '2026-05-02',
      asOf: 12,
      filter: { document_type: 'adopted & amended', facility_id: 'FAC-0012' },
      links: { self: 'https://example.org/export?document_type=adopted+%26+amended' },
    },
    records: [sampleRecord(6)],
  },
  {
    name: 'texts',
    head: {
      definition: {
        ...BARE,
        title: 'A <b>bold</b> title & "quotes" ]]>',
        description: 'Line 1\r\nline 2',
        author: 'A & B',
        rights: '© <none>',
      },
      lastChange: null,
      asOf: null,
    },
    records: [
      line('nothing-but-a-source'),
      line('blank', {
        title: ' \t',
        summary: '',
        content: ' \n',
        author: ' ',
        document_type: '',
        facility_id: '\u0085',
      }),
      line('summary', { summary: 'AT&T <b>x</b>\r\nCR\rLF\n"quoted" ]]>' }),
      line('text', { content: '1 < 2 & 3 > 2\r\nCR\rLF\n"quoted" ]]>' }),
      line('html', { content: '<p title="x">1 &lt; 2 &amp; <br>\r\n]]></p>', content_type: 'html' }),
      line('both', { summary: 'Short.', content: 'Long.' }),
      line('people', { author: 'Müller & Söhne <office>', document_type: 'a "b" <c>', facility_id: 'A&B\tC' }),
      line('replaced', { title: 'NUL \u0000 ESC \u001b FFFE \ufffe lone \ud800', summary: '\uffff' }),
      line('urls', { source_url: 'https://müller.example/a b[1]?q=é&r="x"#f' }),
    ],
  },
  {
    name: 'dates',
    head: { definition: BARE, lastChange: '2026-02-28T23:59:59.999-11:30', asOf: null },
    records: [
      line('unknown'),
      line('day', { published_at: '2024-02-29' }),
      line('utc', { published_at: '1999-12-31T23:59:59Z', observed_at: '2000-01-01T00:00:00.5Z' }),
      line('offset', {
        published_at: '2026-03-01T00:15:00+05:45',
        version: 2,
        updated_at: '2026-05-02T10:00:00-03:00',
      }),
      line('fraction', { published_at: '2026-03-01T12:00:00.123456789Z', version: 3, updated_at: '2026-03-02' }),
      line('first', { published_at: '0001-01-01', version: 1, updated_at: '2026-05-02' }),
      line('last', { published_at: '9999-12-31T23:59:59-14:00' }),
    ],
  },
];

/** The bytes of the document of this name. */
export async function expectedFeed(format: 'rss' | 'atom', name: string): Promise<string> {
  const file = new URL(`../../../fixtures/expected/${format}/${name}.${format}`, import.meta.url);
  return (await readFile(file, 'utf8')).replaceAll('{version}', VERSION);
}
