// What the entries beside this file name in their signatures. None of it is exported by `unexported.ts`.

/** Of a parameter. */
export interface Taken {
  /** A member. */
  readonly value: string;
}

/** Of a return value. */
export interface Given {
  /** A member. */
  readonly value: string;
}

/** Of a property. */
export interface Held {
  /** A member. */
  readonly value: string;
}

/** Of an alias. */
export interface Named {
  /** A member. */
  readonly value: string;
}

/** Of what an interface extends. */
export interface Inherited {
  /** A member. */
  readonly value: string;
}

/** Of a constraint. */
export interface Constraint {
  /** A member. */
  readonly value: string;
}

/** Of an argument of another type. */
export interface Argument {
  /** A member. */
  readonly value: string;
}
