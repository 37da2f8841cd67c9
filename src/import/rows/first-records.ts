// The first records of a file, read before the others: from them it is known what all are like.
import type { RawBatch, RawRecord } from '../readers/raw-record.ts';

/** The number of first records that show which objects all of them have. */
export const SHAPE_RECORDS = 100;

/** The maximum amount of text of the first records, in UTF-16 units: they are held in memory. */
const SAMPLE_LENGTH = 8_388_608;

/**
 * Reads whole batches that contain the sample, and returns how many of their records belong to it. That depends only on
 * the records: the inferred fields must not depend on the size of the pieces in which the file arrives.
 */
export async function readSample(
  batches: AsyncIterator<RawBatch>,
  enough: number,
): Promise<{ readonly sample: readonly RawBatch[]; readonly sampled: number }> {
  const sample: RawBatch[] = [];
  let sampled = 0;
  let length = 0;
  while (sampled < enough && length < SAMPLE_LENGTH) {
    const next = await batches.next();
    if (next.done === true) break;
    sample.push(next.value);
    for (const { value } of next.value.records) {
      if (sampled === enough || length >= SAMPLE_LENGTH) break;
      sampled++;
      length += weightOf(value);
    }
  }
  return { sample, sampled };
}

/** What a value takes in memory in addition to its text, in UTF-16 units. */
const VALUE_WEIGHT = 32;

/** About how much a value takes. */
function weightOf(value: RawRecord['value']): number {
  let values = 0;
  const text = JSON.stringify(value, (_, member: unknown) => {
    values++;
    return typeof member === 'bigint' ? `${member}` : member;
  });
  return text.length + values * VALUE_WEIGHT;
}
