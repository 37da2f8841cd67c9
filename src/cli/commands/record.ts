// `gazette record`: one record of a store with its history, shown, or erased for legal reasons.
import type { Command } from 'commander';
import { GazetteError, quote } from '../../errors.ts';
import type { RecordVersion } from '../../register/record.ts';
import { type RegisterStore, type StoredRecord, VERSIONS_PAGE_SIZE } from '../../stores/contract/registers.ts';
import { confirm } from '../io/confirm.ts';
import { storeOption, type StoreOptions, withStore } from '../options/store.ts';

/** Adds `gazette record` and its subcommands to the program. */
export function addRecord(program: Command): void {
  const record = program.command('record').description('Shows one record, or erases its content.');
  record
    .command('show')
    .description('Shows a record and its versions.')
    .argument('<record_id>', 'such as permits:2026-0417')
    .addOption(storeOption())
    .option('--json', 'print the answer as JSON')
    .action((id: string, options: StoreOptions & { json?: true }) =>
      withStore(options, (store) => show(store, id, options.json === true)),
    );
  record
    .command('redact')
    .description('Erases the content of all versions of a record, for legal reasons, for ever.')
    .argument('<record_id>', 'such as permits:2026-0417')
    .addOption(storeOption())
    .option('--yes', 'do not ask')
    .action((id: string, options: StoreOptions & { yes?: true }) => redact(id, options));
}

async function show(store: RegisterStore, id: string, asJson: boolean): Promise<void> {
  const stored = await find(store, id);
  if (!asJson) {
    showRecord(stored);
    for await (const versions of history(store, id)) versions.forEach(showVersion);
    return;
  }
  const versions = (await Array.fromAsync(history(store, id))).flat();
  const { feedId, position, version, state, record } = stored;
  // schemas/record.schema.json
  process.stdout.write(
    `${JSON.stringify({ id: stored.id, feed_id: feedId, position, version, state, record, versions })}\n`,
  );
}

async function redact(id: string, options: StoreOptions & { readonly yes?: true }): Promise<void> {
  await withStore(options, async (store) => {
    await find(store, id);
    const question = `Erase the content of all versions of ${id} for ever?`;
    if (options.yes !== true && !(await confirm(question))) throw new GazetteError('aborted', 'nothing was erased');
    const erased = await store.redact(id, { recordedAt: new Date().toISOString() });
    process.stderr.write(`gazette: ${erased ? `erased the content of ${id}` : `${id} was erased before`}\n`);
  });
}

async function find(store: RegisterStore, id: string): Promise<StoredRecord> {
  const stored = await store.record(id);
  if (stored !== null) return stored;
  throw new GazetteError('unknown_record', `there is no record ${quote(id)}`, { details: { id } });
}

/** All versions, newest first, page by page. */
async function* history(store: RegisterStore, id: string): AsyncGenerator<readonly RecordVersion[], void, undefined> {
  for (let offset = 0; ; offset += VERSIONS_PAGE_SIZE) {
    const versions = (await store.history(id, { offset, limit: VERSIONS_PAGE_SIZE })) ?? [];
    yield versions;
    if (versions.length < VERSIONS_PAGE_SIZE) return;
  }
}

function showRecord({ id, feedId, position, version, state, record }: StoredRecord): void {
  const { data = {}, ...core } = record ?? { id, feed_id: feedId, position, version };
  const lines = [
    ['state', state],
    ...Object.entries(core),
    ...Object.entries(data).map(([name, value]) => [`data.${name}`, value] as const),
  ] as const;
  const width = Math.max(...lines.map(([name]) => name.length));
  for (const [name, value] of lines) {
    const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    process.stdout.write(`${name.padEnd(width)}  ${printable(text)}`.trimEnd() + '\n');
  }
  process.stdout.write('\n');
}

function showVersion({ version, recorded_at, cause, changed }: RecordVersion): void {
  process.stdout.write(`version ${version}  ${recorded_at}  ${cause}  ${changed.join(', ')}`.trimEnd() + '\n');
}

/** A publisher's text must not move the cursor of whoever looks at it. */
function printable(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
