// `gazette register retype` and `gazette register rename-field`: changes of fields that change no record.
import { GazetteError, quote } from '../../../errors.ts';
import { parseTypes } from '../../../import/fields/said-types.ts';
import { Registers } from '../../../operate/registers.ts';
import { FEED_ID, type Command, command } from '../../command.ts';
import { say } from '../../io/say.ts';
import { STORE, withStore } from '../../options/store.ts';
import { WAIT, waitOptions } from '../../options/wait.ts';

/** `gazette register retype`. */
export const retypeCommand: Command = command({
  description: 'Give fields other types. Every value of the records must fit; no record gets a new version.',
  arguments: [[FEED_ID], ['<field=type...>', 'such as area=decimal']],
  options: { store: STORE, wait: WAIT },
  run: ([feedId, changes], options, { io, signal }) =>
    withStore(options, io, async (store) => {
      const types = parseTypes(changes);
      await new Registers(store).retype(feedId, types, waitOptions(options, io, signal));
      for (const [name, type] of types) say(io, `${feedId}: ${name} is of type ${type}`);
    }),
});

/** `gazette register rename-field`. */
export const renameFieldCommand: Command = command({
  description: 'Rename a field. Files may have the column under either name; no record gets a new version.',
  arguments: [[FEED_ID], ['<old=new>', 'such as amt=amount']],
  options: { store: STORE, wait: WAIT },
  run: ([feedId, change], options, { io, signal }) =>
    withStore(options, io, async (store) => {
      const [from, to, more] = change.split('=');
      if (from === undefined || from === '' || to === undefined || to === '' || more !== undefined) {
        throw new GazetteError('usage', `the names must be given as OLD=NEW, got ${quote(change)}`);
      }
      await new Registers(store).renameField(feedId, from, to, waitOptions(options, io, signal));
      say(io, `${feedId}: ${from} is named ${to}`);
    }),
});
