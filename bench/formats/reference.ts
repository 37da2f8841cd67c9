// Our reference writers as contestants. They are there to be seen beside their packages, not to be beaten: no goal
// names them.
import { isGazetteError } from '../../src/errors.ts';
import { REFERENCE_FORMAT_NAMES, referenceFormat } from '../../src/formats/reference/index.ts';
import type { Contestant } from '../harness.ts';
import { versionOf } from '../peers.ts';
import { type Input, type Shape, throughEncode } from './table.ts';

/** The reference writer of a format, where there is one and its package is installed. */
export async function referenceContestant(
  format: string,
  packageName: string,
  input: Input,
  shape: Shape,
): Promise<Contestant[]> {
  if (!REFERENCE_FORMAT_NAMES.includes(format)) return [];
  try {
    const writer = await referenceFormat(format);
    return [
      throughEncode('gazette reference', 'reference', writer, input, shape, {
        version: versionOf(packageName),
        note: `${packageName} behind our interface`,
      }),
    ];
  } catch (error) {
    if (isGazetteError(error, 'missing_peer')) return [];
    throw error;
  }
}
