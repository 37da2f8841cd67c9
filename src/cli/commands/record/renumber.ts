// `gazette record renumber`: gives records the keys that their publisher gives them now.
import { readKeyMap } from '../../../operate/registers/key-map.ts';
import { renumber } from '../../../operate/registers/renumber.ts';
import { FEED_ID, command, type Command, flag, JSON_OUTPUT, required, text } from '../../command.ts';
import { openReader } from '../../../import/from-file/open-file.ts';
import { openInput } from '../../io/input.ts';
import { STORE } from '../../options/store.ts';
import { WAIT } from '../../options/wait.ts';
import { doImport } from '../import/imports.ts';

const OPTIONS = {
  store: STORE,
  map: required(
    text('<file>', 'a table of two columns, the old keys and the new ones: CSV or XLSX; - is standard input'),
  ),
  propose: flag('write nothing: keep it as a proposal, for gazette imports'),
  wait: WAIT,
  json: JSON_OUTPUT,
};

/** The command. */
export const RENUMBER: Command = command({
  description:
    'Give records new keys. They keep their ids, positions and histories; imports find them by the new keys.',
  arguments: [[FEED_ID, 'the register']],
  options: OPTIONS,
  run: ([feedId], { map, propose = false, ...options }, { io, signal }) =>
    doImport(feedId, options, io, signal, async (_, how, store) => {
      const reader = openReader(openInput(map, io), { header: false });
      return renumber(store, feedId, await readKeyMap(reader, { signal }), { ...how, propose });
    }),
});
