// The only part of stream-chain that stream-json's functions need from their callers.
import { none } from 'stream-chain/defs.js';

/** Tells stream-json's functions that the text ends, and us that they have no tokens. Their types allow only text. */
export const END_OF_TEXT: string = none as unknown as string;
