// An agent that answers ten questions of a catalogue of vulnerabilities. It sees the list of tools and their results, and nothing else:
// names of fields come from the schemas, values from answers.
import { recordsIn, type ToolReply } from './agent.ts';

type Shown = Readonly<Record<string, unknown>>;

/** A tool as the list has it. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, unknown>> };
}

/** Calls a tool. */
export type Ask = (tool: string, args: object) => Promise<ToolReply>;

/** What the agent says. */
export interface Answers {
  readonly microsoft: unknown;
  readonly commonestVendor: readonly [vendor: unknown, records: unknown];
  readonly addedInAugust: unknown;
  readonly ransomware: unknown;
  readonly log4ShellDue: unknown;
  readonly latestCiscoDue: unknown;
  readonly cwe22: readonly unknown[];
  readonly perYear: Readonly<Record<string, unknown>>;
  readonly earliestDue: readonly unknown[];
  /** The ids of what was added and what was corrected. */
  readonly changed: Readonly<Record<'added' | 'corrected', readonly unknown[]>>;
}

/** Answers the ten questions. @param since the day that the last of them names */
export async function answerQuestions(tools: readonly ListedTool[], ask: Ask, since: string): Promise<Answers> {
  const names = fieldNames(tools.find(({ name }) => name === 'ask_register')!);
  const named = (word: string): string => names.find((name) => name.includes(word))!;
  const [vendor, due, use, cwes] = [named('vendor'), named('due'), named('ransomware'), named('cwes')] as const;
  const is = (field: string, value: string): object => ({ field, op: 'is', value });
  const told = async (tool: string, args: object): Promise<Shown> => {
    const { structuredContent, content } = await ask(tool, args);
    if (structuredContent === undefined) throw new Error(content[0]!.text);
    return structuredContent;
  };

  const { registers } = (await told('list_registers', {})) as { registers: readonly { readonly feed_id: string }[] };
  const feed_id = registers[0]!.feed_id;
  const figures = async (args: object): Promise<Shown> => told('ask_register', { feed_id, ...args });

  const microsoft = await figures({ where: [is(vendor, 'microsoft')] });
  const vendors = await figures({ by: [vendor], top: 1 });
  const august = [
    { field: 'published_at', op: 'since', value: '2025-08-01' },
    { field: 'published_at', op: 'until', value: '2025-09-01' },
  ];
  const added = await figures({ where: august });
  const ransomware = await figures({ where: [is(use, 'known')] });
  // The name is in no record: the answer names the nearest words that are.
  const nothing = await told('search', { query: 'Log4Shell', feed_id });
  const [near] = (nothing.values as Readonly<Record<string, readonly string[]>>).query!;
  const log4j = await told('read_register', { feed_id, q: near!, fields: ['title', due] });
  const cisco = await figures({ measure: `max:${due}`, where: [is(vendor, 'Cisco')] });
  const traversal = await told('read_register', { feed_id, where: [is(cwes, 'CWE-22')], fields: ['id'], limit: 100 });
  const years = await figures({ by: ['published_at:year'], order: 'key' });
  const days = await figures({ by: [`${due}:day`], order: 'key', top: 3 });
  const changes = await told('changes', { feed_id, since });

  const inRows = (answer: Shown, name: string): readonly unknown[] =>
    recordsIn(answer).map((row) => valueIn(row, name));
  const causes = (wanted: readonly string[]): readonly unknown[] =>
    recordsIn(changes).flatMap(({ id, cause }) => (wanted.includes(cause as string) ? [id] : []));
  return {
    microsoft: microsoft.matched,
    commonestVendor: [inRows(vendors, vendor)[0], inRows(vendors, 'records')[0]],
    addedInAugust: added.matched,
    ransomware: ransomware.matched,
    log4ShellDue: valueIn(
      recordsIn(log4j).find(({ title }) => /remote code execution/i.test(String(title)))!,
      due,
    ),
    latestCiscoDue: inRows(cisco, 'value')[0],
    cwe22: inRows(traversal, 'id'),
    perYear: Object.fromEntries(
      recordsIn(years).map((row) => [String(row['published_at:year']), row.records] as const),
    ),
    earliestDue: inRows(days, 'record_ids')
      .flatMap((ids) => ids as readonly unknown[])
      .slice(0, 3),
    changed: { added: causes(['first_observed']), corrected: causes(['source_change', 'extraction_correction']) },
  };
}

/** The fields that conditions may name. */
function fieldNames({ inputSchema }: ListedTool): readonly string[] {
  const { where } = inputSchema.properties as {
    readonly where: {
      readonly items: { readonly properties: { readonly field: { readonly enum: readonly string[] } } };
    };
  };
  return where.items.properties.field.enum;
}

/** A value of a row, with `data.` before its name or without. */
function valueIn(row: Shown, name: string): unknown {
  return name.startsWith('data.') ? (row.data as Shown)[name.slice('data.'.length)] : row[name];
}
