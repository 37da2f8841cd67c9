// `gazette register imports`: who took what into a register, when, and with what result.
import { Registers } from '../../../operate/registers.ts';
import type { ImportEntry } from '../../../stores/contract/imports.ts';
import { type Command, command, JSON_OUTPUT } from '../../command.ts';
import { printJson } from '../../io/say.ts';
import { STORE, withStore } from '../../options/store.ts';
import type { Io } from '../../io/io.ts';

/** An import as `--json` prints it: schemas/imports.schema.json. */
interface ImportEntryAnswer {
  readonly number: number;
  readonly file: string;
  readonly hmac_sha256: string | null;
  readonly cause: string;
  readonly who: string | null;
  readonly begun_at: string;
  readonly ended_at: string | null;
  readonly state: string;
  readonly error: string | null;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly withdrawn: number;
  readonly restored: number;
  readonly refused: number;
  readonly redacted: number;
}

/** `gazette register imports`. */
export const importsCommand: Command = command({
  description: 'List the imports of a register, newest first: which file, by whom, when, and with what result.',
  arguments: [['<feed_id>']],
  options: { store: STORE, json: JSON_OUTPUT },
  run: ([feedId], options, { io }) =>
    withStore(options, io, async (store) => {
      const imports = await new Registers(store).imports(feedId);
      if (options.json === true) printJson(io, imports.map(toAnswer));
      else for (const entry of imports) show(entry, io);
    }),
});

function toAnswer(entry: ImportEntry): ImportEntryAnswer {
  const { number, file, digest, cause, who, begunAt, endedAt, state, error, counts } = entry;
  const { added, changed, unchanged, withdrawn, restored, refused, redacted } = counts;
  return {
    number,
    file,
    hmac_sha256: digest === null ? null : Buffer.from(digest).toString('hex'),
    cause,
    who,
    begun_at: begunAt,
    ended_at: endedAt,
    state,
    error,
    ...{ added, changed, unchanged, withdrawn, restored, refused, redacted },
  };
}

function show({ file, who, begunAt, state, error, counts }: ImportEntry, { stdout }: Io): void {
  const done = Object.entries<number>({ ...counts }).filter(([, count]) => count > 0);
  const text = done.map(([name, count]) => `${name} ${count.toLocaleString('en-US')}`).join(', ');
  const ending = error === null ? state : `${state} (${error})`;
  stdout.write(`${begunAt}  ${ending.padEnd(11)}  ${who ?? ''}  ${file}  ${text}`.trimEnd() + '\n');
}
