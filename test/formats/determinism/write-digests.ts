// Run as a program of its own: writes every format once and prints the SHA-256 of each document as one JSON object.
import { createHash } from 'node:crypto';
import { FORMATS } from '../../../src/formats/index.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_DEFINITION, sampleRecord, sampleRecords } from '../../contracts/sample-register.ts';

// Letters whose case, order or digits depend on the locale, dates at a daylight saving jump, numbers with separators.
const records = [
  ...sampleRecords(250),
  sampleRecord(251, {
    title: 'İIıi ÄäZz ß İstanbul',
    published_at: '2026-03-29T02:30:00+01:00',
    observed_at: '1899-12-31',
    data: {
      amount: 1234567.891,
      valid_from: '2026-10-25',
      heard_at: '2026-11-01T01:30:00-04:00',
      parts: { ä: 1, z: 2 },
    },
  }),
];
const head = { definition: SAMPLE_DEFINITION, lastChange: '2026-05-02T10:00:00+02:00', asOf: 251 };

const digests: Record<string, string> = {};
for (const format of Object.values(FORMATS)) {
  const document = await encodeAll(format, head, pagesOfSize(records));
  digests[format.name] = createHash('sha256').update(document).digest('hex');
}
console.log(
  JSON.stringify({
    digests,
    // What the parent checks the surroundings by: they must really differ.
    zone: new Date(2026, 0, 1).getTimezoneOffset(),
    locale: (1.5).toLocaleString(),
    year: new Date().getFullYear(),
    random: Math.random(),
  }),
);
