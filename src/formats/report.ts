// What a format had to change because it cannot represent it. No change is silent: the library's caller gets the
// report, the command line writes it to standard error, and HTTP sends it in a header.

/** One kind of change: how often it happened, and where first. */
export interface Warning {
  /** What was changed. */
  readonly code:
    /** Characters the format cannot carry became U+FFFD; counted once per record. */
    | 'replaced_characters'
    /** A text was cut at the format's limit and ends in a visible mark. */
    | 'cut_text'
    /** A number, date or boolean had to be written as text. */
    | 'value_as_text'
    /** A link had to be written as plain text. */
    | 'link_as_text';
  /** How many values it happened to. */
  readonly count: number;
  /** The id of the first record concerned; null when it was the head. */
  readonly recordId: string | null;
}

/**
 * Counts what a sink had to change. The caller creates one, passes it to `encode()` and reads it afterwards.
 *
 * @example
 * const report = new Report();
 * for await (const chunk of encode(pages(source), csv, head, { report })) process.stdout.write(chunk);
 * for (const { code, count } of report.warnings) console.error(code, count);
 */
export class Report {
  readonly #warnings = new Map<Warning['code'], { count: number; readonly recordId: string | null }>();

  /** Counts one more change of this kind. */
  add(code: Warning['code'], recordId: string | null): void {
    const warning = this.#warnings.get(code);
    if (warning === undefined) this.#warnings.set(code, { count: 1, recordId });
    else warning.count++;
  }

  /** The changes so far, in a fixed order of codes. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings]
      .map(([code, { count, recordId }]) => ({ code, count, recordId }))
      .sort((a, b) => (a.code < b.code ? -1 : 1));
  }
}
