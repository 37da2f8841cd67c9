// The state of a copy as its file has it.
import { expect, test } from 'vitest';
import { type KeptState, stateFrom, stateText } from '../../src/mirror/state.ts';

const KEPT: KeptState = {
  bytes: 120,
  state: {
    url: 'https://example.org/feeds/permits',
    format: 'csv',
    asOf: 9,
    origin: { log: '9f8e7d6c', change: 12, version: '[9,1,"first_observed","2026-05-01T00:00:00.000Z"]' },
    columns: 'id,title',
    next: null,
    records: 2,
    lastPosition: 3,
    gaps: { range: [7, 6], above: { range: [9, 9], above: null } },
  },
};

const WHOLE = { place: 'https://example.org/feeds/permits/register.csv?etag=A', bytes: 3, tail: 'YWJj' };

/** Of a register without changes. */
const EMPTY = { log: '9f8e7d6c', change: 0, version: null };

test.each([
  KEPT,
  { ...KEPT, state: { ...KEPT.state, origin: EMPTY } },
  { ...KEPT, state: { ...KEPT.state, whole: WHOLE } },
])('comes back as it was written', (kept) => {
  expect(stateFrom(stateText(kept))).toEqual(kept);
});

/** The same as the file has it. */
const WRITTEN = {
  ...KEPT,
  state: {
    ...KEPT.state,
    gaps: [
      [9, 9],
      [7, 6],
    ],
  },
};

test('is written with its gaps from the highest down', () => {
  expect(JSON.parse(stateText(KEPT))).toEqual({ gazette_pull: 1, ...WRITTEN });
});

test.each([
  '',
  'null',
  '[]',
  '5',
  JSON.stringify([{ gazette_pull: 1, ...WRITTEN }]),
  JSON.stringify({ gazette_pull: 1, ...WRITTEN, state: [] }),
  JSON.stringify({ gazette_pull: 1, ...WRITTEN, state: [WRITTEN.state] }),
  JSON.stringify({ gazette_pull: 1, ...WRITTEN, bytes: 0.5 }),
  JSON.stringify({ gazette_pull: 1, ...WRITTEN, bytes: -1 }),
  ...[
    null,
    {},
    [
      [7, 6],
      [9, 9],
    ],
    [
      [9, 9],
      [8, 6],
    ],
    [[9, 3]],
  ].map((gaps) => JSON.stringify({ gazette_pull: 1, ...WRITTEN, state: { ...WRITTEN.state, gaps } })),
  JSON.stringify({ gazette_pull: 1, ...WRITTEN, state: { ...WRITTEN.state, records: '2' } }),
  ...[null, '9f8e7d6c', { ...EMPTY, log: 9 }, { ...EMPTY, change: -1 }, { ...EMPTY, version: undefined }].map(
    (origin) => JSON.stringify({ gazette_pull: 1, ...WRITTEN, state: { ...WRITTEN.state, origin } }),
  ),
  ...[
    null,
    { ...WHOLE, place: 'nowhere' },
    { ...WHOLE, bytes: '3' },
    { ...WHOLE, tail: undefined },
    // More than came.
    { ...WHOLE, bytes: 2 },
  ].map((whole) => JSON.stringify({ gazette_pull: 1, ...WRITTEN, state: { ...WRITTEN.state, whole } })),
  JSON.stringify({ gazette_pull: 1, ...WRITTEN, state: { ...WRITTEN.state, next: WHOLE.place, whole: WHOLE } }),
])('is nothing else: %s', (text) => {
  expect(stateFrom(text)).toBeNull();
});
