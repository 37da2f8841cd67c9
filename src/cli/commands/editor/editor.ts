// `gazette editor`: who works on registers at the desk, and what was done there.
import { Editors } from '../../../operate/desk/editors.ts';
import { GazetteError } from '../../../errors.ts';
import {
  type Actor,
  DESK_LOG_PAGE_SIZE,
  type DeskEntry,
  type Editor,
  EDITOR_ROLES,
} from '../../../stores/contract/desk/editors.ts';
import type { InspectedStore } from '../../../stores/contract/inspection.ts';
import { choice, command, type UndescribedGroup, flag, flagsOf, JSON_OUTPUT, list, required, text, type ValuesOf,
  whole } from '../../command.ts'; // prettier-ignore
import type { Io } from '../../io/io.ts';
import { printJson, say } from '../../io/say.ts';
import { userName } from '../../io/user-name.ts';
import { BASE_URL } from '../../options/publication.ts';
import { STORE, withStore } from '../../options/store.ts';
import { makeSignIn } from '../account/sign-in.ts';

const NAME = ['<name>', 'at most 64 of a-z, 0-9 and -'] as const;

const EMAIL = text('<address>', 'where links to sign in are sent');

const ROLE = 'edit, or review: who only approves what others propose';

/** How many entries of the log are printed where nobody says how many. */
const LOG_ENTRIES = 100;

const COMMON = { store: STORE, json: JSON_OUTPUT };

type CommonOptions = ValuesOf<typeof COMMON>;

const CHANGE_OPTIONS = {
  ...COMMON,
  email: EMAIL,
  feed: list('<id>', 'works on this register', 'as before'),
  allFeeds: flag('works on all registers'),
  role: choice('<role>', ROLE, EDITOR_ROLES),
};

/** `gazette editor`. */
export const editorCommand: UndescribedGroup = {
  commands: {
    add: command({
      description: 'Add an editor, also one who was removed before.',
      arguments: [NAME],
      options: {
        ...COMMON,
        email: required(EMAIL),
        feed: list('<id>', 'works on this register', 'all'),
        role: choice('<role>', ROLE, EDITOR_ROLES, 'edit'),
      },
      run: ([name], { email, feed, role, ...options }, { io }) =>
        print(
          options,
          io,
          (editors) => editors.add({ name, email, feeds: feed.length === 0 ? null : feed, role }, operator()),
          (kept) => `is added: ${rightsOf(kept)}`,
          { makes: true },
        ),
    }),
    list: command({
      description: 'List all editors: role, registers, and where links to sign in are sent.',
      arguments: [],
      options: COMMON,
      run: (_, options, { io }) =>
        withStore(options, io, async (store) => {
          const editors = await new Editors(store).all();
          if (options.json === true) printJson(io, editors.map(toEditorAnswer));
          else for (const editor of editors) io.stdout.write(`${lineOf(editor)}\n`);
        }),
    }),
    change: command({
      description: 'Change the role of an editor, the registers or the address. It signs the editor out.',
      arguments: [NAME],
      options: CHANGE_OPTIONS,
      run: ([name], options, { io }) => change(name, options, io),
    }),
    remove: command({
      description: 'Remove an editor, who is signed out at once. What was done stays in the log.',
      arguments: [NAME],
      options: COMMON,
      run: ([name], options, { io }) =>
        withStore(options, io, async (store) => {
          await new Editors(store).remove(name, operator());
          if (options.json === true) printJson(io, { removed: name });
          else say(io, `removed the editor ${name}`);
        }),
    }),
    'sign-in': command({
      description: 'Make a link with which an editor signs in to the desk, once.',
      arguments: [NAME],
      options: { ...COMMON, baseUrl: required(BASE_URL) },
      run: ([name], options, { io }) => makeSignIn('editor', name, options, io),
    }),
    log: command({
      description: 'Show what was done to editors and by them, newest first.',
      arguments: [],
      options: { ...COMMON, limit: whole('how many entries', 1, DESK_LOG_PAGE_SIZE, LOG_ENTRIES) },
      run: (_, { limit, ...options }, { io }) =>
        withStore(options, io, async (store) => {
          const entries = await new Editors(store).log({ limit });
          if (options.json === true) printJson(io, entries.map(toEntryAnswer));
          else for (const entry of entries) io.stdout.write(`${entryLine(entry)}\n`);
        }),
    }),
  },
};

/** Who runs the command. */
function operator(): Actor {
  return { who: userName(), role: 'operator' };
}

async function change(
  name: string,
  { email, feed, allFeeds, role, ...options }: ValuesOf<typeof CHANGE_OPTIONS>,
  io: Io,
): Promise<void> {
  if (allFeeds === true && feed.length > 0) throw new GazetteError('usage', 'give either --feed or --all-feeds');
  const feeds = allFeeds === true ? null : feed.length === 0 ? undefined : feed;
  if (email === undefined && feeds === undefined && role === undefined) {
    throw new GazetteError('usage', `give what to change: ${flagsOf(CHANGE_OPTIONS, COMMON)}`);
  }
  const changed = {
    ...(email === undefined ? {} : { email }),
    ...(feeds === undefined ? {} : { feeds }),
    ...(role === undefined ? {} : { role }),
  };
  await print(
    options,
    io,
    (editors) => editors.change(name, changed, operator()),
    (kept) => `${rightsOf(kept)}; links go to ${kept.email}`,
  );
}

async function print(
  options: CommonOptions,
  io: Io,
  make: (editors: Editors) => Promise<Editor>,
  said: (editor: Editor) => string,
  how: { readonly makes?: boolean } = {},
): Promise<void> {
  const use = async (store: InspectedStore): Promise<void> => {
    const editor = await make(new Editors(store));
    if (options.json === true) printJson(io, toEditorAnswer(editor));
    else say(io, `editor ${editor.name} ${said(editor)}`);
  };
  await withStore(options, io, use, how);
}

function rightsOf({ role, feeds }: Editor): string {
  return `${role === 'edit' ? 'works on' : 'only approves changes of'} ${feeds === null ? 'all registers' : feeds.join(', ')}`;
}

function lineOf(editor: Editor): string {
  const { name, email, role, feeds, removedAt } = editor;
  if (removedAt !== null) return `${name}  removed ${removedAt}`;
  return `${name}  ${role}  ${feeds === null ? 'all registers' : feeds.join(',')}  ${email}`;
}

function entryLine({ at, who, role, action, feed, subject }: DeskEntry): string {
  return [at, `${who ?? 'somebody'} (${role})`, action, feed, subject].filter((part) => part !== null).join('  ');
}

function toEditorAnswer({ name, email, feeds, role, createdAt, removedAt }: Editor): object {
  return { name, email, feeds, role, created_at: createdAt, removed_at: removedAt };
}

function toEntryAnswer({ number, at, who, role, action, feed, subject }: DeskEntry): object {
  return { number, at, who, role, action, feed_id: feed, subject };
}
