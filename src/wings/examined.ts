// What wings find wrong with an installation.
import type { Examination } from '../operate/doctor.ts';
import { unendedPayments } from './selling/operate/unended.ts';

export const EXAMINED: readonly Examination[] = [unendedPayments];
