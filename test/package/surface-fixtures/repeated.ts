// An entry with names that others have too, and a second name of its own.
export type { Held } from './shapes.ts';

/** Not what `undocumented.ts` calls so. */
export interface Options {
  /** A member. */
  readonly name: string;
}

export type { Options as Choices };
