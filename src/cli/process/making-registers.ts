// The registers of gazette.json when a service starts: it creates those that its store lacks and imports their files once.
// Later files and other definitions are the operator's to bring: `gazette import`, `gazette register update`.
import { existsSync } from 'node:fs';
import { isGazetteError } from '../../errors.ts';
import { Imports } from '../../operate/registers/imports.ts';
import { Registers } from '../../operate/registers.ts';
import type { InspectedStore } from '../../stores/contract/inspection.ts';
import type { Configuration, ConfiguredRegister } from '../command.ts';
import { FILE_OPTIONS } from '../commands/import/file-options.ts';
import { importFile } from '../commands/import.ts';
import { type NamedFile, takeFrom } from '../commands/import/places.ts';
import { valuesIn } from '../configuration/values.ts';
import type { Io } from '../io/io.ts';
import { say } from '../io/say.ts';
import { isPostgres, pathOf, type StoreOptions, withStore } from '../options/store.ts';

/**
 * Creates the registers that are missing, and imports the files of those that have no completed import. An interrupted
 * import is completed by the next start.
 *
 * @throws GazetteError the errors of the store and of the import
 */
export async function makeRegisters(
  { path, registers }: Configuration,
  { store }: StoreOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (registers.length === 0) return;
  const use = (opened: InspectedStore): Promise<readonly ConfiguredRegister[]> => makeMissing(registers, opened, io);
  const empty = await withStore({ store }, io, use, { makes: true });
  for (const register of empty) {
    const reading = valuesIn(FILE_OPTIONS, register.reading, `${path}: ${register.definition.id}`);
    const options = { ...reading, store, cause: 'source_change', wait: true, accept: [] } as const;
    // Standard output is the log of the service.
    const told = {
      stdout: io.stderr,
      stderr: io.stderr,
      env: io.env,
      get stdin() {
        return io.stdin;
      },
    };
    const take = (found: NamedFile): Promise<void> => importFile(register.definition.id, found, options, told, signal);
    await takeFrom(register.file!, take, signal);
  }
}

/** Makes the store of a desk if it is not there: its editors make the registers. @throws GazetteError the errors of the store */
export async function makeStore({ store }: StoreOptions, io: Io): Promise<void> {
  if (isPostgres(store) || existsSync(pathOf(store))) return;
  await withStore({ store }, io, async () => undefined, { makes: true });
  say(io, `made the store ${pathOf(store)}; add who works on registers with gazette editor add NAME --email ADDRESS`);
}

/** @returns those whose file has not been imported */
async function makeMissing(
  registers: readonly ConfiguredRegister[],
  store: InspectedStore,
  io: Io,
): Promise<readonly ConfiguredRegister[]> {
  if (store.isReadOnly === true) return [];
  const made = new Registers(store);
  const empty: ConfiguredRegister[] = [];
  for (const register of registers) {
    const { definition, file, findings } = register;
    if ((await store.register(definition.id)) === null) {
      try {
        await made.add(definition);
        if (Object.keys(findings).length > 0) await made.setFindings(definition.id, findings);
        say(io, `created the register ${definition.id}`);
      } catch (error) {
        // Another node was quicker.
        if (!isGazetteError(error, 'register_exists')) throw error;
      }
    }
    const imports = await new Imports(store).list(definition.id);
    if (file !== null && !imports.some(({ state }) => state === 'completed')) empty.push(register);
  }
  return empty;
}
