// The state of a copy as its file has it.
import { expect, test } from 'vitest';
import { type KeptState, stateFrom, stateText } from '../../src/mirror/state.ts';

const KEPT: KeptState = {
  bytes: 120,
  state: {
    url: 'https://example.org/feeds/permits',
    format: 'csv',
    asOf: 9,
    origin: '9f8e7d6c',
    columns: 'id,title',
    next: null,
    records: 2,
    lastPosition: 3,
    gaps: [[8, 7]],
  },
};

const WHOLE = { place: 'https://example.org/feeds/permits/register.csv?etag=A', bytes: 3, tail: 'YWJj' };

test.each([KEPT, { ...KEPT, state: { ...KEPT.state, whole: WHOLE } }])('comes back as it was written', (kept) => {
  expect(stateFrom(stateText(kept))).toEqual({ gazette_pull: 1, ...kept });
});

test.each([
  '',
  'null',
  '[]',
  '5',
  JSON.stringify([{ gazette_pull: 1, ...KEPT }]),
  JSON.stringify({ gazette_pull: 1, ...KEPT, state: [] }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, state: [KEPT.state] }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, bytes: 0.5 }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, bytes: -1 }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, state: { ...KEPT.state, records: '2' } }),
  ...[
    null,
    { ...WHOLE, place: 'nowhere' },
    { ...WHOLE, bytes: '3' },
    { ...WHOLE, tail: undefined },
    // More than came.
    { ...WHOLE, bytes: 2 },
  ].map((whole) => JSON.stringify({ gazette_pull: 1, ...KEPT, state: { ...KEPT.state, whole } })),
  JSON.stringify({ gazette_pull: 1, ...KEPT, state: { ...KEPT.state, next: WHOLE.place, whole: WHOLE } }),
])('is nothing else: %s', (text) => {
  expect(stateFrom(text)).toBeNull();
});
