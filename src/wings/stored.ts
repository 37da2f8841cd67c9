// The wings that keep something in a store, which opens with all of them.
import type { StorePlugin } from '../stores/logic/plugins/plugin.ts';
import { SELLING } from './selling/stores/plugin.ts';
import { PROOFS } from './proofs/stores/plugin.ts';

export const STORED: readonly StorePlugin[] = [PROOFS, SELLING];
