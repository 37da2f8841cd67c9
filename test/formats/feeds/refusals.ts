// Records that RSS and Atom have to change or to refuse, the same in both.
import type { Warning } from '../../../src/formats/report.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { sampleRecord } from '../../contracts/sample-register.ts';

const REPLACED: readonly Warning[] = [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }];

/** Records of the sample register a feed cannot carry as they are, and what it then reports. */
export const FEED_CHANGES: readonly { readonly record: RegisterRecord; readonly warnings: readonly Warning[] }[] = [
  { record: sampleRecord(9, { title: 'lone \ud800 surrogate' }), warnings: REPLACED },
  { record: sampleRecord(9, { title: 'U+0000 \u0000', content: 'U+FFFE \ufffe'.repeat(20) }), warnings: REPLACED },
  { record: sampleRecord(9, { summary: 'CR and LF \r\n, TAB \t, DEL \u007f' }), warnings: [] },
];

/** What a record may not hold, and the field the error names. */
export const FEED_REFUSALS: readonly (readonly [title: string, changes: Partial<RegisterRecord>, field: string])[] = [
  ['a source that would run', { source_url: 'javascript:alert(1)' }, 'source_url'],
  ['a relative source', { source_url: '/permits/7' }, 'source_url'],
  ['a publication date there is none of', { published_at: '2026-02-30' }, 'published_at'],
  ['an observation date in words', { observed_at: 'yesterday' }, 'observed_at'],
  ['an update without an offset', { updated_at: '2026-05-02T10:00:00' }, 'updated_at'],
  ['a key that is no text', { key: undefined as unknown as string }, 'key'],
  ['a title that is no text', { title: 5 as unknown as string }, 'title'],
  ['a content type there is none of', { content: 'x', content_type: 'markdown' as 'html' }, 'content_type'],
];
