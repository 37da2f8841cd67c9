// The wings of `gazette serve`, in the order of their settings.
import type { ServingWing } from '../cli/wings.ts';
import { SIGNING } from './proofs/cli/serving.ts';
import { PAYMENTS } from './selling/cli/serving.ts';

export const SERVING: readonly ServingWing[] = [PAYMENTS, SIGNING];
