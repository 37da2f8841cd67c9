// `gazette init`: makes a register of a publisher's own file. It guesses how the file is read, shows the first records,
// writes gazette.json, imports and serves. It asks at a terminal; elsewhere it takes options.
import { constants, existsSync } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import { GazetteError } from '../../errors.ts';
import { WholeFile } from '../../files/whole-file.ts';
import { ACCESS, planFor, type RegisterPlan } from '../../import/from-file/register-plan.ts';
import { asInputError } from '../../import/readers/byte-source.ts';
import { Registers } from '../../operate/registers.ts';
import { UNKNOWN_SOURCE } from '../../register/url.ts';
import {
  choice,
  type Undescribed,
  command,
  type Configuration,
  flag,
  text,
  unless,
  type ValuesOf,
  whole,
} from '../command.ts';
import { canAsk } from '../io/confirm.ts';
import type { Io } from '../io/io.ts';
import { Questions } from '../io/questions.ts';
import { say } from '../io/say.ts';
import { withoutPassword } from '../io/without-password.ts';
import { isPostgres, pathOf, STORE, type StoreOptions, withStore } from '../options/store.ts';
import { makeRegisters } from '../process/making-registers.ts';
import { CONFIG_VARIABLE, CONFIGURATION_NAME, createProgram } from '../program.ts';
import { FILE_OPTIONS } from './import/file-options.ts';
import { guessing } from './import/guess.ts';
import { contentOf } from './init/content.ts';
import { serveCommand } from './serve.ts';
import { askPlan, showPlan } from './init/plan.ts';

const OPTIONS = {
  feedId: text('<feed_id>', 'the id of the register (default: made of the file’s name)'),
  title: text(
    '<text>',
    'the title of the register (default: that of the document or above its header, or made of the file’s name)',
  ),
  language: text('<tag>', 'the language of the records, such as en or de-CH'),
  access: choice(
    '<who>',
    'who may read it: open, everybody; tiered, everybody the latest three records, and the others with a key (default: open)',
    ACCESS,
  ),
  ...FILE_OPTIONS,
  store: STORE,
  config: text('<file>', `the file to write (default: ${CONFIGURATION_NAME})`),
  replace: flag('replace the configuration that there is'),
  port: whole('the port to listen on, which is written to the configuration too', 0, 65_535),
  yes: flag('ask nothing, and accept what was found'),
  serve: unless('end when the records are imported'),
};

type InitOptions = ValuesOf<typeof OPTIONS>;

/** `gazette init`. */
export const initCommand: Undescribed = command({
  arguments: [['[file]', 'the file with the records: CSV, a workbook, JSON or NDJSON']],
  options: OPTIONS,
  run: ([file], options, { io, signal }) => init(file, options, io, signal),
});

async function init(named: string | undefined, options: InitOptions, io: Io, signal: AbortSignal): Promise<void> {
  const variable = io.env[CONFIG_VARIABLE] ?? '';
  const path = options.config ?? (variable === '' ? CONFIGURATION_NAME : variable);
  const asks = options.yes !== true;
  // Before anything else: who mistyped the name of the file wants to know only that.
  if (named !== undefined) await checkFile(named);
  if (asks && !canAsk(io)) throw missing(named);
  if (!asks && named === undefined) throw missing(named);
  const questions = asks ? new Questions(io, signal) : null;
  try {
    if (existsSync(path) && options.replace !== true) await agreeToReplace(path, questions);
    const file = named ?? (await questions!.ask('The file with the records'));
    const found = await planFor(file, options, guessing(file, io, signal));
    showPlan(found, io);
    const plan = questions === null ? found : await askPlan(found, options, questions, io, signal);
    if (plan.answer.first.length === 0) throw new GazetteError('invalid_input', `${file}: no record can be published`);
    const content = contentOf(plan, path, options);
    // It loads the validator.
    const { checkConfiguration } = await import('../configuration/file.ts');
    const configuration = checkConfiguration(path, content);
    const what = `Write ${path}, and import the records into ${withoutPassword(options.store)}${options.serve ? ' and serve them' : ''}?`;
    if (questions !== null && !(await questions.agree(what, true))) {
      throw new GazetteError('aborted', 'nothing was written');
    }
    await make(configuration, `${JSON.stringify(content, null, 2)}\n`, options, io, signal);
    warnOfSource(plan, path, io);
  } finally {
    questions?.close();
  }
  if (options.serve) await serve(path, options, io, signal);
  else say(io, `start the service with: gazette serve${path === CONFIGURATION_NAME ? '' : ` --config ${path}`}`);
}

/** @throws GazetteError `invalid_input` for a file that is not there, or that this user may not read */
async function checkFile(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    throw asInputError(error, path);
  }
}

/** What a run without a terminal lacks. */
function missing(file: string | undefined): GazetteError {
  const lacks = [...(file === undefined ? ['FILE'] : []), '--yes, which accepts what is found'];
  return new GazetteError('usage', `there is no terminal to ask on; missing: ${lacks.join(', ')}`);
}

async function agreeToReplace(path: string, questions: Questions | null): Promise<void> {
  const isAgreed = (await questions?.agree(`There is a ${path}. Replace it?`, false)) ?? false;
  if (!isAgreed)
    throw new GazetteError('usage', `there is a ${path}: --replace replaces it, --config writes another file`);
}

/** Imports the records and then writes the file. What it has made goes again if it does not end well. */
async function make(
  configuration: Configuration,
  text: string,
  { store }: StoreOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const feedId = configuration.registers[0]!.definition.id;
  const isNew = !isPostgres(store) && !existsSync(pathOf(store));
  if (!isNew) await checkFree(feedId, { store }, io);
  const file = await WholeFile.open(configuration.path);
  try {
    await file.write(new TextEncoder().encode(text));
    await makeRegisters(configuration, { store }, io, signal);
    await file.commit();
    say(io, `wrote ${configuration.path}`);
  } catch (error) {
    await undo(feedId, isNew, { store }, io);
    throw error;
  } finally {
    await file.discard();
  }
}

async function checkFree(feedId: string, store: StoreOptions, io: Io): Promise<void> {
  const known = await withStore(store, io, (opened) => opened.register(feedId));
  if (known === null) return;
  const where = withoutPassword(store.store);
  throw new GazetteError(
    'register_exists',
    `${where} has a register ${feedId}: choose another name with --feed-id, or delete it with gazette register remove ${feedId}`,
    { details: { feed_id: feedId } },
  );
}

async function undo(feedId: string, isNew: boolean, store: StoreOptions, io: Io): Promise<void> {
  if (isNew) {
    for (const end of ['', '-wal', '-shm']) await rm(pathOf(store.store) + end, { force: true });
    return;
  }
  await withStore(store, io, async (opened) => {
    if ((await opened.register(feedId)) !== null) await new Registers(opened).remove(feedId);
  });
}

/** Says that readers are told of no source, and where to set that right. */
function warnOfSource({ answer }: RegisterPlan, path: string, io: Io): void {
  const rule = answer.map.find((one) => one.startsWith('source_url=') && one.includes(UNKNOWN_SOURCE));
  if (rule === undefined) return;
  say(
    io,
    `warning: no column of the file has the address of a record’s source, so the pages say that it is not known; ${path} says ${rule}, to be corrected`,
  );
}

/** Serves as `gazette serve` does. */
async function serve(path: string, { port, store }: InitOptions, io: Io, signal: AbortSignal): Promise<void> {
  const { readConfiguration } = await import('../configuration/file.ts');
  const sources = { env: io.env, read: readConfiguration };
  const program = createProgram({ serve: serveCommand }, io, signal, { sources });
  const said = port === undefined ? [] : ['--port', String(port)];
  await program.parseAsync(['serve', '--config', path, '--store', store, ...said], { from: 'user' });
}
