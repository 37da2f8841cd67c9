// What a reader keeps of a register's log from one time to the next: the signed checkpoint that was seen last, and behind it that of
// the log of logs, up to which it was read.

/** What was kept. */
export interface Kept {
  /** The register's checkpoint; null: none was seen. */
  readonly checkpoint: string | null;
  /** That of the log of logs; null: none was seen. */
  readonly ofLogs: string | null;
}

/** What was kept as one text, the notes one after the other; null: nothing was. @param name of the register's log */
export function readKept(text: string | null, name: string): Kept {
  // The empty line in a note is that before its signatures.
  const notes = text === null ? [] : text.split(/(?<=\n)\n(?!\u2014 )/);
  const checkpoint = notes.find((note) => note.startsWith(`${name}\n`)) ?? notes[0] ?? null;
  return { checkpoint, ofLogs: notes.find((note) => note !== checkpoint) ?? null };
}

/** The text to keep. */
export function keptText({ checkpoint, ofLogs }: Kept & { readonly checkpoint: string }): string {
  return ofLogs === null ? checkpoint : `${checkpoint}\n${ofLogs}`;
}
