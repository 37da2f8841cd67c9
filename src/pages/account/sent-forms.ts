// Which forms were sent to this process and done, by the random names that they carry.

/** So many names are remembered; above that, the oldest is forgotten. */
const MAX_NAMES = 10_000;

/** Names of forms. */
export class SentForms {
  readonly #names = new Set<string>();

  /** Notes a form that is being done. @returns false if it was noted before */
  begin(name: string): boolean {
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    if (this.#names.size > MAX_NAMES) this.#names.delete(this.#names.values().next().value!);
    return true;
  }

  /** Forgets a form that could not be done. */
  abandon(name: string): void {
    this.#names.delete(name);
  }
}
