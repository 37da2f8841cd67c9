// `gazette register retype` and `gazette register rename-field`: changes of fields that change no record.
import type { Command } from 'commander';
import { GazetteError, quote } from '../../../errors.ts';
import { parseTypes } from '../../../import/fields/said-types.ts';
import { Registers } from '../../../operate/registers.ts';
import { say } from '../../io/say.ts';
import { storeOption, type StoreOptions, withStore } from '../../options/store.ts';
import { waitOption, waitOptions } from '../../options/wait.ts';
import type { Io } from '../../io/io.ts';

/** The options of both commands. */
interface FieldOptions extends StoreOptions {
  readonly wait?: true;
}

/** Adds both commands to the command `gazette register`. */
export function addFieldChanges(register: Command, io: Io, signal: AbortSignal): void {
  register
    .command('retype')
    .description('Give fields other types. Every value of the records must fit; no record gets a new version.')
    .argument('<feed_id>')
    .argument('<field=type...>', 'such as area=decimal')
    .addOption(storeOption())
    .addOption(waitOption())
    .action((feedId: string, changes: readonly string[], options: FieldOptions) =>
      withStore(options, io, async (store) => {
        const types = parseTypes(changes);
        await new Registers(store).retype(feedId, types, waitOptions(options, io, signal));
        for (const [name, type] of types) say(io, `${feedId}: ${name} is of type ${type}`);
      }),
    );
  register
    .command('rename-field')
    .description('Rename a field. Files may have the column under either name; no record gets a new version.')
    .argument('<feed_id>')
    .argument('<old=new>', 'such as amt=amount')
    .addOption(storeOption())
    .addOption(waitOption())
    .action((feedId: string, change: string, options: FieldOptions) =>
      withStore(options, io, async (store) => {
        const [from, to, more] = change.split('=');
        if (from === undefined || from === '' || to === undefined || to === '' || more !== undefined) {
          throw new GazetteError('usage', `the names must be given as OLD=NEW, got ${quote(change)}`);
        }
        await new Registers(store).renameField(feedId, from, to, waitOptions(options, io, signal));
        say(io, `${feedId}: ${from} is named ${to}`);
      }),
    );
}
