// Where wings let somebody guess at an erased record (test/contracts/guesses.ts).
import type { OpenBytes } from '../contracts/guesses.ts';
import { servedGuesses } from './proofs/contracts/served-guesses.ts';

export const GUESSED: readonly ((open: () => Promise<OpenBytes>) => void)[] = [servedGuesses];
