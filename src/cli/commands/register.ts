// `gazette register`: creates, changes, lists, shows and removes the registers of a store.
import { GazetteError } from '../../errors.ts';
import { defineNew, type RegisterDescription, Registers } from '../../operate/registers.ts';
import { counted } from '../../register/counted.ts';
import { type FindingActions, parseFindings } from '../../import/proposals/finding-codes.ts';
import { moneyText } from '../../money.ts';
import type { DefinitionInput } from '../../register/definition.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import {
  FEED_ID,
  choice,
  command,
  type UndescribedGroup,
  flag,
  JSON_OUTPUT,
  type Option,
  text,
  type ValuesOf,
  YES,
} from '../command.ts';
import { confirm } from '../io/confirm.ts';
import { printJson, say } from '../io/say.ts';
import { readAuthority, readDefinitionFile } from '../options/definition-file.ts';
import { STORE, type StoreOptions, withStore } from '../options/store.ts';
import { completeIndex } from '../process/indexing.ts';
import type { InspectedStore } from '../../stores/contract/inspection.ts';
import { WAIT, waitOptions } from '../options/wait.ts';
import { toRegisterAnswer } from './register/answer.ts';
import { renameFieldCommand, retypeCommand } from './register/fields.ts';
import type { Io } from '../io/io.ts';

/** `--finding`. */
const FINDING: Option<readonly string[]> = {
  value: '<code=action,…>',
  description:
    'what an import does with what it finds in a file: stop, warn or ignore, such as same-field=warn; kept with the register; repeatable',
  default: [],
  defaultText: 'as before',
  isList: true,
  read: (texts, before) => [...before, ...texts.split(',')],
};

const DESCRIPTION_OPTIONS = {
  store: STORE,
  title: text('<text>', 'the title for people'),
  definition: text('<file>', 'a JSON file with all of this and the fields; the other options take precedence'),
  description: text('<text>', 'what the register contains'),
  language: text('<tag>', 'the language, such as en or de-CH'),
  author: text('<name>', 'the issuing body'),
  rights: text('<text>', 'the licence'),
  homepage: text('<url>', 'its page for people'),
  authority: text(
    '<name,year>',
    'the authority and year in permanent ids of RSS and Atom, such as example.org,2026 (default: ids made of a UUID; it never changes)',
  ),
  access: choice('<who>', 'tiered: the public sees the latest records (default); open: everybody sees everything', [
    'tiered',
    'open',
  ]),
  every: text(
    '<time>',
    'how often a file is expected, such as 36h, 7d or 2w: doctor and its page say when it is overdue; none: nothing is expected',
  ),
  finding: FINDING,
  json: JSON_OUTPUT,
};

type DescriptionOptions = ValuesOf<typeof DESCRIPTION_OPTIONS>;

const UPDATE_OPTIONS = {
  ...DESCRIPTION_OPTIONS,
  replace: flag('lose the fields, the title and the language that the definition lacks'),
  wait: WAIT,
};

const REMOVE_OPTIONS = { store: STORE, yes: YES, wait: WAIT };

const NEW = [FEED_ID, 'at most 64 of a-z, 0-9 and -'] as const;

/** `gazette register`. */
export const registerCommand: UndescribedGroup = {
  commands: {
    add: command({
      description: 'Create an empty register.',
      arguments: [NEW],
      options: DESCRIPTION_OPTIONS,
      run: ([feedId], options, { io }) => add(feedId, options, io),
    }),
    update: command({
      description: 'Change the description and the fields of a register.',
      arguments: [NEW],
      options: UPDATE_OPTIONS,
      run: ([feedId], options, { io, signal }) => update(feedId, options, io, signal),
    }),
    list: command({
      description: 'List all registers.',
      arguments: [],
      options: { store: STORE, json: JSON_OUTPUT },
      run: (_, options, { io }) => list(options, io),
    }),
    show: command({
      description: 'Show one register.',
      arguments: [[FEED_ID]],
      options: { store: STORE, json: JSON_OUTPUT },
      run: ([feedId], options, { io }) =>
        withRegisters(options, io, async (registers, { finding }) => {
          const entry = await registers.find(feedId);
          const isIndexed = !(await finding.incomplete()).includes(feedId);
          show(entry, options.json === true, io, isIndexed, await registers.findings(feedId));
        }),
    }),
    xsd: command({
      description: 'Print the XML schema (XSD) of a register.',
      arguments: [[FEED_ID]],
      options: { store: STORE, output: text('<file>', 'the file to write (default: standard output)') },
      run: ([feedId], options, { io, signal }) =>
        withRegisters(options, io, async (registers) => {
          const { definition } = await registers.find(feedId);
          // Loaded only here: nothing else about registers needs the formats.
          const { registerSchema } = await import('../../formats/xml/xsd.ts');
          const { encodeText, writeAll } = await import('../io/document.ts');
          await writeAll([encodeText(registerSchema(definition))], options.output, io, signal);
        }),
    }),
    remove: command({
      description: 'Delete a register with its records and their history, permanently.',
      arguments: [[FEED_ID]],
      options: REMOVE_OPTIONS,
      run: ([feedId], options, { io, signal }) => remove(feedId, options, io, signal),
    }),
    retype: retypeCommand,
    'rename-field': renameFieldCommand,
  },
};

async function add(feedId: string, options: DescriptionOptions, io: Io): Promise<void> {
  const description = await readDescription(options);
  if (description.whole === undefined && description.members.title === undefined) {
    throw new GazetteError('usage', 'a register needs --title TEXT, or --definition FILE');
  }
  // Before the store is opened, which creates it if it does not exist.
  const definition = defineNew(feedId, description);
  const findings = parseFindings(options.finding);
  const make = async (registers: Registers): Promise<void> => {
    const entry = await registers.add(definition);
    if (options.finding.length > 0) await registers.setFindings(feedId, findings);
    if (options.json === true) printJson(io, toRegisterAnswer(entry));
    else say(io, `created the register ${feedId}`);
  };
  await withRegisters(options, io, make, { makes: true });
}

async function update(
  feedId: string,
  options: ValuesOf<typeof UPDATE_OPTIONS>,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  await withRegisters(options, io, async (registers, store) => {
    // A missing register is reported before errors in its description.
    await registers.find(feedId);
    const findings = parseFindings(options.finding);
    const how = { ...waitOptions(options, io, signal), replaces: options.replace === true };
    const entry = await registers.update(feedId, await readDescription(options), how);
    if (options.finding.length > 0) await registers.setFindings(feedId, findings, how);
    await completeIndex(io, store.finding, feedId, signal);
    if (options.json === true) printJson(io, toRegisterAnswer(entry));
    else say(io, `changed the register ${feedId}`);
  });
}

async function readDescription(options: DescriptionOptions): Promise<RegisterDescription> {
  const members: Partial<DefinitionInput> = {
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.language === undefined ? {} : { language: options.language }),
    ...(options.author === undefined ? {} : { author: options.author }),
    ...(options.rights === undefined ? {} : { rights: options.rights }),
    ...(options.homepage === undefined ? {} : { homepage: options.homepage }),
    ...(options.authority === undefined ? {} : readAuthority(options.authority)),
    ...(options.access === undefined ? {} : { access: options.access }),
    ...(options.every === undefined ? {} : { every: options.every === 'none' ? null : options.every }),
  };
  if (options.definition === undefined) return { members };
  return { members, whole: await readDefinitionFile(options.definition) };
}

async function list(options: StoreOptions & { readonly json?: true }, io: Io): Promise<void> {
  await withRegisters(options, io, async (registers) => {
    if (options.json === true) {
      const answers: object[] = [];
      for await (const entries of registers.walk()) answers.push(...entries.map(toRegisterAnswer));
      printJson(io, answers);
      return;
    }
    // Beside each other within a page.
    for await (const entries of registers.walk()) {
      const width = Math.max(...entries.map(({ definition }) => definition.id.length));
      for (const { definition, total } of entries) {
        const count = counted(total, 'record');
        io.stdout.write(`${definition.id.padEnd(width)}  ${count.padStart(18)}  ${definition.title}\n`);
      }
    }
  });
}

async function remove(
  feedId: string,
  options: ValuesOf<typeof REMOVE_OPTIONS>,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  await withRegisters(options, io, async (registers, _, removed) => {
    // It had been interrupted, and has just been completed.
    if (removed.includes(feedId)) return;
    const { total } = await registers.find(feedId);
    const question = `Remove the register ${feedId} with ${counted(total, 'record')} and ${total === 1 ? 'its' : 'their'} history?`;
    if (options.yes !== true && !(await confirm(io, question)))
      throw new GazetteError('aborted', 'nothing was removed');
    await registers.remove(feedId, waitOptions(options, io, signal));
    say(io, `removed the register ${feedId}`);
  });
}

async function withRegisters(
  options: StoreOptions,
  io: Io,
  use: (registers: Registers, store: InspectedStore, removed: readonly string[]) => Promise<void>,
  how: { readonly makes?: boolean } = {},
): Promise<void> {
  await withStore(options, io, (store, removed) => use(new Registers(store), store, removed), how);
}

/**
 * @param isIndexed whether its index is complete
 * @param findings what imports do with findings where it is not the default
 */
function show(entry: RegisterEntry, asJson: boolean, io: Io, isIndexed: boolean, findings: FindingActions): void {
  if (asJson) {
    printJson(io, { ...toRegisterAnswer(entry), index_complete: isIndexed, findings });
    return;
  }
  const { fields, access = 'tiered', search = true, log = 'public', prices, ...rest } = entry.definition;
  const lines = [
    ...Object.entries(rest).map(([name, value]) => [name, value === null ? '' : String(value)] as const),
    ['definition_version', String(entry.definitionVersion)] as const,
    ['records', entry.total.toLocaleString('en-US')] as const,
    ['positions', entry.top.toLocaleString('en-US')] as const,
    ['last change', entry.lastChange ?? ''] as const,
    ['files run', entry.order ?? ''] as const,
    ['access', access] as const,
    ...(prices === undefined
      ? []
      : [['price', `${moneyText({ amount: prices.per_record, currency: prices.currency })} per record`] as const]),
    ['search', search ? 'on' : 'off'] as const,
    ['entries of the log', log] as const,
    ['index', !isIndexed ? 'incomplete: gazette serve and gazette register update complete it' : 'complete'] as const,
    ...Object.entries(findings).map(([code, action]) => [`finding ${code}`, action] as const),
    ...fields.map(({ name, type, label, filterable }) => {
      return [`data.${name}`, `${type}, ${label}${filterable === true ? ', filterable' : ''}`] as const;
    }),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  for (const [name, value] of lines) io.stdout.write(`${name.padEnd(width)}  ${value}`.trimEnd() + '\n');
}
