// The records whose events are delivered.
import type { RegisterRecord } from '../../src/register/record.ts';

/** A permit of usual length. */
export function benchRecord(nth: number): RegisterRecord {
  return {
    id: `permits:2026-${nth}`,
    feed_id: 'permits',
    key: `2026-${nth}`,
    title: `Discharge of cooling water, Northern Wharf, decision ${nth}`,
    summary: 'The authority has decided on an application for the discharge of cooling water.',
    content: null,
    content_type: 'text',
    author: 'Environment Agency',
    document_type: 'decision',
    facility_id: null,
    source_url: `https://exampleton.example/decisions/2026/${nth}`,
    published_at: '2026-04-17',
    observed_at: '2026-04-19T08:12:44Z',
    updated_at: null,
    version: 1,
    position: null,
    data: {},
  };
}
