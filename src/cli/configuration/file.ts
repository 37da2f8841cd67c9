// gazette.json: its schema, made of the options, and how a file is read, checked, and refused with the place of what is wrong. Its
// members are the options of `gazette serve` and, for each register, those of `gazette import` that say how its file is read. Paths
// are relative to its folder.
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { GazetteError, quote } from '../../errors.ts';
import { systemReason } from '../../files/output-failed.ts';
import { FINDING_ACTIONS, FINDING_CODES, type FindingActions } from '../../import/proposals/finding-codes.ts';
import { nearest } from '../../nearest.ts';
import { defineNew } from '../../operate/registers.ts';
import { ID_PATTERNS } from '../../register/identity.ts';
import { definitionFileSchema } from '../../register/schemas/definition-file.ts';
import { type AnyOptions, type Configuration, type Given, memberOf, type Option } from '../command.ts';
import { FILE_OPTIONS } from '../commands/import/file-options.ts';
import { parseJson } from '../options/definition-file.ts';
import { SERVE_OPTIONS } from '../options/serving.ts';

interface Content {
  readonly registers?: readonly {
    readonly definition: { readonly id: string };
    readonly findings?: FindingActions;
    readonly import?: { readonly file: string } & Readonly<Record<string, Given>>;
  }[];
}

/** What the value of an option is in the file; the option itself decides what it must be. */
function valueSchema({ value, isList, choices }: Option<unknown>): z.ZodType<Given> {
  if (value === null) return z.boolean();
  if (isList === true) return z.array(z.string().min(1));
  return choices === undefined ? z.union([z.string().min(1), z.number()]) : z.enum(choices);
}

function membersOf(options: AnyOptions): Record<string, z.ZodOptional<z.ZodType<Given>>> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const description = option.default === true ? `false: ${option.description}` : option.description;
      return [memberOf(name), valueSchema(option).optional().meta({ description })];
    }),
  );
}

/**
 * The file as a schema.
 *
 * @param definition what a definition is. Default: all that the schema of definition files says
 */
export function configurationSchema(
  definition: z.ZodType = definitionFileSchema.extend({
    id: z.string().regex(ID_PATTERNS.feed).meta({ description: 'The id of the register.' }),
  }),
): z.ZodObject {
  const file = z
    .string()
    .min(1)
    .meta({ description: 'The file, relative to the folder of this one, or its https address.' });
  const source = z.strictObject({ file, ...membersOf(FILE_OPTIONS) });
  const register = z.strictObject({
    definition: definition.meta({ description: 'What gazette register add takes of a definition file.' }),
    findings: z
      .partialRecord(z.enum(FINDING_CODES), z.enum(FINDING_ACTIONS))
      .optional()
      .meta({ description: 'What imports into the new register do with what they find in a file.' }),
    import: source.optional().meta({
      description:
        'The file that fills the register when gazette serve first starts, and that gazette import takes where none is named; and how files for it are read.',
    }),
  });
  return z.strictObject({
    $schema: z.string().optional().meta({ description: 'The address of this schema, for editors.' }),
    registers: z.array(register).optional().meta({ description: 'The registers that gazette serve creates.' }),
    ...membersOf(SERVE_OPTIONS),
  });
}

/**
 * The configuration in a file.
 *
 * @throws GazetteError `usage` for a file that cannot be read, is not JSON, or has a member or a value that it must not
 *   have; `invalid_definition`
 */
export function readConfiguration(path: string): Configuration {
  const refuse = (reason: string): GazetteError => new GazetteError('usage', `${path}: the file ${reason}`);
  return checkConfiguration(path, parseJson(path, readText(path), refuse));
}

/** The same for the content of a file. @param path that of the file, which need not exist */
export function checkConfiguration(path: string, value: unknown): Configuration {
  const schema = configurationSchema(z.looseObject({ id: z.string() }));
  const result = schema.safeParse(value);
  if (!result.success) throw refusal(path, schema, result.error.issues[0]!);
  const { registers = [], ...rest } = result.data as Content;
  const folder = dirname(path);
  const known = new Set<string>();
  return {
    path,
    settings: given(rest, SERVE_OPTIONS, folder),
    registers: registers.map(({ definition, findings = {}, import: source }, at) => {
      const name = `${path}: registers[${at}].definition`;
      if (known.has(definition.id)) throw new GazetteError('usage', `${name}: ${quote(definition.id)} is there twice`);
      known.add(definition.id);
      const { file = null, ...how } = source ?? {};
      return {
        definition: defineNew(definition.id, { members: {}, whole: { value: definition, name } }),
        file: file === null ? null : inFolder(file, folder),
        reading: given(how, FILE_OPTIONS, folder),
        findings,
      };
    }),
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new GazetteError('usage', `${path} cannot be read: ${systemReason(cause)}`, { cause });
  }
}

/** The values, with the paths as the process has to write them. */
function given(
  values: Readonly<Record<string, Given>>,
  options: AnyOptions,
  folder: string,
): ReadonlyMap<string, Given> {
  const ofPaths = Object.entries(options).filter(([, { value }]) =>
    /^<(?:file|folder|path or url)>$/.test(value ?? ''),
  );
  const paths = new Set(ofPaths.map(([name]) => memberOf(name)));
  const placed = (value: Given): Given => {
    if (typeof value === 'string') return inFolder(value, folder);
    return Array.isArray(value) ? value.map((one: string) => inFolder(one, folder)) : value;
  };
  return new Map(Object.entries(values).map(([name, value]) => [name, paths.has(name) ? placed(value) : value]));
}

/** A path of the file, or a store's URL with one. */
function inFolder(text: string, folder: string): string {
  const [, scheme = '', path = ''] = /^(sqlite:)?(.*)$/s.exec(text)!;
  const isElsewhere = folder === '.' || isAbsolute(path) || /^[a-z][a-z0-9+.-]+:/i.test(path);
  return isElsewhere ? text : scheme + join(folder, path);
}

function refusal(path: string, schema: z.ZodType, issue: z.core.$ZodIssue): GazetteError {
  const place = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const where = place.replace(/^\./, '');
  if (issue.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const [meant] = nearest(name, namesAt(schema, issue.path));
    const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
    const inside = where === '' ? '' : `${where}: `;
    return new GazetteError('usage', `${path}: ${inside}no member is called ${quote(name)}${hint}`);
  }
  return new GazetteError('usage', `${path}: ${where === '' ? 'the file' : where}: ${issue.message}`);
}

/** The names of the members that an object may have. */
function namesAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional) return namesAt(schema.unwrap(), path);
  const [name, ...rest] = path;
  if (schema instanceof z.ZodArray) return namesAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return name === undefined ? Object.keys(schema.shape) : namesAt(schema.shape[String(name)], rest);
}
