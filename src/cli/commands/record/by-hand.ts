// `gazette record correct`, `withdraw` and `restore`: work by hand on one record, which is an import of its own.
import { GazetteError, quote } from '../../../errors.ts';
import { WorkByHand } from '../../../operate/registers/hand.ts';
import { CHANGE_CAUSES } from '../../../stores/contract/imports/causes.ts';
import { choice, command, type Command, flag, JSON_OUTPUT, type Option } from '../../command.ts';
import { STORE } from '../../options/store.ts';
import { WAIT } from '../../options/wait.ts';
import { doImport } from '../import/imports.ts';

const RECORD = ['<record_id>', 'such as permits:2026-0417'] as const;

const SET: Option<ReadonlyMap<string, string>> = {
  value: '<field=value>',
  description: 'a core field or one of the register’s own, and its new value; nothing after = for none; repeatable',
  default: new Map(),
  isList: true,
  isRequired: true,
  read: (text, before) => {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(at, 0)).trim();
    if (name === '') throw new GazetteError('usage', `--set must be FIELD=VALUE, got ${quote(text)}`);
    if (before.has(name)) throw new GazetteError('usage', `--set gives ${name} twice`);
    return new Map([...before, [name, text.slice(at + 1)]]);
  },
};

const OPTIONS = {
  store: STORE,
  propose: flag('write nothing: keep it as a proposal, for gazette imports'),
  wait: WAIT,
  json: JSON_OUTPUT,
};

const CAUSE = choice('<cause>', 'why: we misread it, or the source changed', CHANGE_CAUSES, 'extraction_correction');

/** The commands. */
export const BY_HAND: Readonly<Record<'correct' | 'withdraw' | 'restore', Command>> = {
  correct: command({
    description: 'Correct a record by hand. Imports leave it so until its source says something new.',
    arguments: [RECORD],
    options: { ...OPTIONS, set: SET, cause: CAUSE },
    run: ([id], { set, cause, ...options }, { io, signal }) =>
      doImport(feedOf(id), options, io, signal, (_, how, store) =>
        new WorkByHand(store).correct(id, set, { ...how, cause, propose: options.propose === true }),
      ),
  }),
  withdraw: command({
    description: 'Withdraw a record by hand. Imports do not bring it back until its source says something new.',
    arguments: [RECORD],
    options: OPTIONS,
    run: ([id], options, { io, signal }) =>
      doImport(feedOf(id), options, io, signal, (_, how, store) =>
        new WorkByHand(store).withdraw(id, { ...how, propose: options.propose === true }),
      ),
  }),
  restore: command({
    description:
      'Restore a withdrawn record by hand, with what it stated last. Files that lack it do not withdraw it again.',
    arguments: [RECORD],
    options: OPTIONS,
    run: ([id], options, { io, signal }) =>
      doImport(feedOf(id), options, io, signal, (_, how, store) =>
        new WorkByHand(store).restore(id, { ...how, propose: options.propose === true }),
      ),
  }),
};

function feedOf(recordId: string): string {
  return recordId.slice(0, Math.max(recordId.indexOf(':'), 0));
}
