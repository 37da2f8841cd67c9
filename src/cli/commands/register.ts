// `gazette register`: the registers of a store, made, changed, listed, shown and removed.
import { type Command, Option } from 'commander';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { fieldText } from '../../formats/check-value.ts';
import { registerSchema } from '../../formats/xml/xsd.ts';
import { counted } from '../../register/counted.ts';
import { type DefinitionInput, defineRegister } from '../../register/definition.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { pages } from '../../register/source.ts';
import type { RegisterEntry, RegisterStore } from '../../stores/contract/registers.ts';
import { confirm } from '../io/confirm.ts';
import { readAuthority, readDefinition } from '../options/definition-file.ts';
import { encodeText, writeAll } from '../io/document.ts';
import { storeOption, type StoreOptions, withStore } from '../options/store.ts';

/** What is said of a register on the command line. */
interface DescriptionOptions extends StoreOptions {
  readonly definition?: string;
  readonly title?: string;
  readonly description?: string;
  readonly language?: string;
  readonly author?: string;
  readonly rights?: string;
  readonly homepage?: string;
  readonly authority?: string;
  readonly json?: true;
}

/** A register as `--json` prints it: schemas/register.schema.json. */
interface RegisterAnswer {
  readonly definition: RegisterDefinition;
  readonly records: number;
  readonly positions: number;
  readonly change: number;
  readonly order: string | null;
  readonly last_change: string | null;
}

/** Adds `gazette register` and its subcommands to the program. */
export function addRegister(program: Command, signal: AbortSignal): void {
  const register = program.command('register').description('Makes, changes, lists, shows and removes registers.');
  describe(register.command('add').description('Makes an empty register.')).action(
    (feedId: string, options: DescriptionOptions) => add(feedId, options),
  );
  describe(register.command('update').description('Changes what a register says of itself, and its fields.')).action(
    (feedId: string, options: DescriptionOptions) => update(feedId, options),
  );
  register
    .command('list')
    .description('Lists the registers.')
    .addOption(storeOption())
    .option('--json', 'print the answer as JSON')
    .action((options: StoreOptions & { json?: true }) => list(options));
  register
    .command('show')
    .description('Shows one register.')
    .argument('<feed_id>')
    .addOption(storeOption())
    .option('--json', 'print the answer as JSON')
    .action((feedId: string, options: StoreOptions & { json?: true }) =>
      withStore(options, async (store) => {
        show(await find(store, feedId), options.json === true);
      }),
    );
  register
    .command('xsd')
    .description('Prints the schema that the XML of a register validates against.')
    .argument('<feed_id>')
    .addOption(storeOption())
    .option('--output <file>', 'where to write it (default: standard output)')
    .action((feedId: string, options: StoreOptions & { output?: string }) =>
      withStore(options, async (store) => {
        const { definition } = await find(store, feedId);
        await writeAll([encodeText(registerSchema(definition))], options.output, signal);
      }),
    );
  register
    .command('remove')
    .description('Removes a register with its records and their history, for ever.')
    .argument('<feed_id>')
    .addOption(storeOption())
    .option('--yes', 'do not ask')
    .action((feedId: string, options: StoreOptions & { yes?: true }) => remove(feedId, options));
}

function describe(command: Command): Command {
  return command
    .argument('<feed_id>', 'a-z, 0-9 and -, at most 64')
    .addOption(storeOption())
    .option('--title <text>', 'what people call it')
    .addOption(new Option('--definition <file>', 'all of it, with its fields, as JSON; options replace what it says'))
    .option('--description <text>', 'what it holds')
    .option('--language <tag>', 'such as en or de-CH')
    .option('--author <name>', 'the issuing body')
    .option('--rights <text>', 'the licence')
    .option('--homepage <url>', 'its own page for people')
    .option('--authority <name,year>', 'what permanent ids in RSS and Atom are made of, such as example.org,2026')
    .option('--json', 'print the answer as JSON');
}

async function add(feedId: string, options: DescriptionOptions): Promise<void> {
  const now = new Date().toISOString();
  const definition = await readDescription(feedId, options, { created_at: now });
  const make = async (store: RegisterStore): Promise<void> => {
    const entry = await store.createRegister(definition);
    if (options.json === true) show(entry, true);
    else process.stderr.write(`gazette: made the register ${feedId}\n`);
  };
  await withStore(options, make, { makes: true });
}

async function update(feedId: string, options: DescriptionOptions): Promise<void> {
  await withStore(options, async (store) => {
    const before = await find(store, feedId);
    // A definition file says all anew; without one only what is said changes. When it began is for ever.
    const kept = options.definition === undefined ? before.definition : { created_at: before.definition.created_at };
    const definition = await readDescription(feedId, options, kept);
    checkUpdate(before, definition);
    await checkNewFields(store, before, definition);
    const entry = await store.updateRegister(definition, { recordedAt: new Date().toISOString() });
    if (options.json === true) show(entry, true);
    else process.stderr.write(`gazette: changed the register ${feedId}\n`);
  });
}

async function readDescription(
  feedId: string,
  options: DescriptionOptions,
  defaults: Partial<DefinitionInput>,
): Promise<RegisterDefinition> {
  const said: Partial<DefinitionInput> = {
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.language === undefined ? {} : { language: options.language }),
    ...(options.author === undefined ? {} : { author: options.author }),
    ...(options.rights === undefined ? {} : { rights: options.rights }),
    ...(options.homepage === undefined ? {} : { homepage: options.homepage }),
    ...(options.authority === undefined ? {} : readAuthority(options.authority)),
  };
  if (options.definition === undefined) {
    if (said.title === undefined && defaults.title === undefined) {
      throw new GazetteError('usage', 'a register needs --title TEXT, or --definition FILE');
    }
    return defineRegister({ ...defaults, ...said, id: feedId } as DefinitionInput);
  }
  const definition = await readDefinition(options.definition, said, { ...defaults, id: feedId });
  if (definition.id !== feedId) {
    throw new GazetteError(
      'invalid_definition',
      `${options.definition}: id is ${quote(definition.id)}, and the register is called ${quote(feedId)}`,
      { details: { member: 'id' } },
    );
  }
  return definition;
}

/** Records hold what the fields were when they came: a field keeps its type while there are any. */
function checkUpdate(before: RegisterEntry, after: RegisterDefinition): void {
  const { definition, top } = before;
  for (const field of after.fields) {
    const known = definition.fields.find(({ name }) => name === field.name);
    if (top > 0 && known !== undefined && known.type !== field.type) {
      throw new GazetteError(
        'invalid_definition',
        `fields: ${field.name} is of type ${known.type} in ${counted(top, 'record')}, and cannot become ${field.type}; give a field of that type a name of its own`,
        { details: { member: 'fields' } },
      );
    }
  }
  if (definition.authority !== null && (definition.authority !== after.authority || definition.year !== after.year)) {
    process.stderr.write(
      'gazette: warning: authority and year are part of every permanent id; readers will see all anew\n',
    );
  }
}

/**
 * Records keep what no field of their register names (any more), and a field that is named anew shows it: it must be of
 * the field's type.
 */
async function checkNewFields(store: RegisterStore, before: RegisterEntry, after: RegisterDefinition): Promise<void> {
  const known = new Set(before.definition.fields.map(({ name }) => name));
  const fields = after.fields.filter(({ name }) => !known.has(name));
  if (fields.length === 0) return;
  for await (const { records } of pages(await store.source(after.id))) {
    for (const record of records) for (const field of fields) checkField(record, field);
  }
}

/** @throws GazetteError `invalid_definition` */
function checkField(record: RegisterRecord, field: Field): void {
  try {
    fieldText(record, field);
  } catch (error) {
    if (!isGazetteError(error, 'invalid_record')) throw error;
    throw new GazetteError(
      'invalid_definition',
      `fields: ${field.name} cannot be of type ${field.type}: ${error.message}; give a field of that type a name of its own`,
      { cause: error, details: { member: 'fields' } },
    );
  }
}

async function list(options: StoreOptions & { readonly json?: true }): Promise<void> {
  await withStore(options, async (store) => {
    const entries = await store.registers();
    if (options.json === true) {
      process.stdout.write(`${JSON.stringify(entries.map(toAnswer))}\n`);
      return;
    }
    const width = Math.max(0, ...entries.map(({ definition }) => definition.id.length));
    for (const { definition, total } of entries) {
      const count = counted(total, 'record');
      process.stdout.write(`${definition.id.padEnd(width)}  ${count.padStart(18)}  ${definition.title}\n`);
    }
  });
}

async function remove(feedId: string, options: StoreOptions & { readonly yes?: true }): Promise<void> {
  await withStore(options, async (store) => {
    const { total } = await find(store, feedId);
    const question = `Remove the register ${feedId} with ${counted(total, 'record')} and ${total === 1 ? 'its' : 'their'} history?`;
    if (options.yes !== true && !(await confirm(question))) throw new GazetteError('aborted', 'nothing was removed');
    await store.removeRegister(feedId);
    process.stderr.write(`gazette: removed the register ${feedId}\n`);
  });
}

async function find(store: RegisterStore, feedId: string): Promise<RegisterEntry> {
  const entry = await store.register(feedId);
  if (entry !== null) return entry;
  throw new GazetteError('unknown_feed', `there is no register ${quote(feedId)}`, { details: { feed_id: feedId } });
}

function toAnswer(entry: RegisterEntry): RegisterAnswer {
  return {
    definition: entry.definition,
    records: entry.total,
    positions: entry.top,
    change: entry.change,
    order: entry.order,
    last_change: entry.lastChange,
  };
}

function show(entry: RegisterEntry, asJson: boolean): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(toAnswer(entry))}\n`);
    return;
  }
  const { fields, ...rest } = entry.definition;
  const lines = [
    ...Object.entries(rest).map(([name, value]) => [name, value === null ? '' : String(value)] as const),
    ['records', entry.total.toLocaleString('en-US')] as const,
    ['positions', entry.top.toLocaleString('en-US')] as const,
    ['last change', entry.lastChange ?? ''] as const,
    ['files run', entry.order ?? ''] as const,
    ...fields.map(({ name, type, label }) => [`data.${name}`, `${type}, ${label}`] as const),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  for (const [name, value] of lines) process.stdout.write(`${name.padEnd(width)}  ${value}`.trimEnd() + '\n');
}
