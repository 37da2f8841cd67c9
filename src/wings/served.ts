// The wings of a service, in the order of their routes.
import type { Wing } from '../service/wing.ts';
import { PROOFS_WING } from './proofs/service/wing.ts';
import { SELLING_WING } from './selling/service/wing.ts';

export const SERVED: readonly Wing[] = [SELLING_WING, PROOFS_WING];
