// What the bare loops have instead of the driver: blocks to the destination, their memory given back.
import type { Destination } from '../harness.ts';
import type { Blocks } from '../../src/formats/blocks.ts';

/** Gives the destination the blocks that are full, and the begun one too when `all`. */
export function handOver(blocks: Blocks, out: Destination, all: boolean): void {
  for (const block of blocks.take(all)) {
    out.write(block);
    blocks.giveBack(block);
  }
}
