// What `gazette doctor` says of the configuration: values that gazette serve would refuse, variables that look mistyped, and
// registers that differ from those of the store.
import { isDeepStrictEqual } from 'node:util';
import { quote } from '../../errors.ts';
import { checkBaseUrl } from '../../export/page-links.ts';
import { checkPublication } from '../../http/description/publication.ts';
import { nearest } from '../../nearest.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import { type Command, command, type Configuration, variableOf } from '../command.ts';
import type { Io } from '../io/io.ts';
import { publicationOf } from '../options/publication.ts';
import { SERVE_OPTIONS } from '../options/serving.ts';
import { CONFIG_VARIABLE, createProgram, originsNamedIn } from '../program.ts';
import { SERVING } from '../../wings/serving.ts';
import { hasSecretsKey, secretBox } from './sending.ts';

/** Members of a definition that the file says and people may change. */
const COMPARED = ['title', 'description', 'language', 'author', 'rights', 'homepage', 'access'] as const;

/** What `gazette serve` would refuse, and variables that no option has. */
export async function checkSettings(configuration: Configuration | null, io: Io): Promise<readonly string[]> {
  const check: Command = command({
    ...{ description: '', arguments: [], options: SERVE_OPTIONS },
    async run(_, options) {
      checkPublication(publicationOf(options));
      if (options.baseUrl !== undefined) checkBaseUrl(options.baseUrl);
      if (hasSecretsKey(io)) secretBox(io);
      for (const wing of SERVING) await wing.check?.(options, io);
    },
  });
  const read = configuration === null ? null : (): Configuration => configuration;
  const { signal } = new AbortController();
  const program = createProgram({ serve: check }, io, signal, { sources: { env: io.env, read } });
  const file = configuration === null ? [] : ['--config', configuration.path];
  try {
    await program.parseAsync(['serve', ...file], { from: 'user' });
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^error: /, '') : String(error);
    return [...mistyped(io), message + originsNamedIn(message, program)];
  }
  return mistyped(io);
}

/** Variables that are written nearly like one of an option. */
function mistyped(io: Io): readonly string[] {
  const known = [CONFIG_VARIABLE, ...Object.keys(SERVE_OPTIONS).map((name) => variableOf(name))];
  const others = Object.keys(io.env).filter((name) => name.startsWith('GAZETTE_') && !known.includes(name));
  return others.flatMap((name) => {
    const [meant] = nearest(name, known);
    return meant === undefined ? [] : [`${name} sets no option; did you mean ${meant}?`];
  });
}

/**
 * How the registers of gazette.json differ from those of the store.
 *
 * @returns what is wrong, and what is only to be known
 */
export async function compareRegisters(
  { path, registers }: Configuration,
  store: RegisterStore,
): Promise<{ readonly findings: readonly string[]; readonly notes: readonly string[] }> {
  const findings: string[] = [];
  const notes: string[] = [];
  for (const { definition } of registers) {
    const { id } = definition;
    const known = await store.register(id);
    if (known === null) notes.push(`the register ${id} of ${path} is not in the store yet: gazette serve creates it`);
    else
      findings.push(...differences(definition, known.definition).map((one) => `${path}: the register ${id}: ${one}`));
  }
  return { findings, notes };
}

function differences(said: RegisterDefinition, known: RegisterDefinition): readonly string[] {
  const members = COMPARED.filter((name) => !isDeepStrictEqual(said[name], known[name])).map((name) => {
    return `${name} is ${quote(said[name] ?? null)}, in the store ${quote(known[name] ?? null)}`;
  });
  const types = new Map(known.fields.map(({ name, type }) => [name, type]));
  const fields = said.fields.flatMap(({ name, type }) => {
    const stored = types.get(name);
    if (stored === type) return [];
    return [
      stored === undefined ? `the store has no field ${name}` : `${name} is of type ${type}, in the store ${stored}`,
    ];
  });
  return [...members, ...fields];
}
