// The addresses that pages link to. A service gives paths under its mount, a snapshot relative paths of its files: templates know
// neither.

/** Where things are, as a page links to them. Null: it does not exist here, and nothing links to it. */
export interface Addresses {
  /** The list of registers. @param parameters another page of it */
  home(parameters?: URLSearchParams): string;
  /** A register; `parameters`: some of its records. */
  register(feedId: string, parameters?: URLSearchParams): string;
  /** All values of a field in a register, or in a search of it. */
  values(feedId: string, parameters: URLSearchParams): string | null;
  /** Figures of a register, or of a search of it. */
  figures(feedId: string, parameters: URLSearchParams): string | null;
  /** A record. @param position its place in the register */
  record(recordId: string, position: number | null): string | null;
  /** The proof of a version of a record; null: of the newest. */
  proof(recordId: string, version: number | null): string | null;
  /** A page of a register in a format. */
  export(feedId: string, format: string, parameters?: URLSearchParams): string | null;
  /** A register in one file, or what `parameters` choose of it. */
  whole(feedId: string, format: string, parameters: URLSearchParams): string | null;
  /** The guide for those who use the data in programs. */
  guide(): string | null;
  /** The interactive reference. */
  reference(): string | null;
  /** All registers for a feed reader. */
  opml(): string | null;
  /** The account of those who signed in, or the way to sign in. */
  account(): string | null;
  /** The style sheet. */
  style(): string;
  /** The icon. */
  icon(): string;
}
