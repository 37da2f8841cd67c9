// gazette.json: read, checked, and refused with the place of what is wrong. Paths in it are relative to its folder.
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Option } from 'commander';
import { z } from 'zod';
import { GazetteError, quote } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { defineNew } from '../../operate/registers.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { parseJson } from '../options/definition-file.ts';
import { isPath, memberOf } from './names.ts';
import { configurationSchema, type Given } from './schema.ts';

/** A register as the file describes it. */
export interface ConfiguredRegister {
  readonly definition: RegisterDefinition;
  /** The file that fills it; null: none. */
  readonly file: string | null;
  /** How its files are read: members of options of `gazette import`. */
  readonly reading: ReadonlyMap<string, Given>;
}

/** What the file says. */
export interface Configuration {
  /** The path of the file, for messages too. */
  readonly path: string;
  /** Members of options of `gazette serve`. */
  readonly settings: ReadonlyMap<string, Given>;
  readonly registers: readonly ConfiguredRegister[];
}

interface Content {
  readonly registers?: readonly {
    readonly definition: { readonly id: string };
    readonly import?: { readonly file: string } & Readonly<Record<string, Given>>;
  }[];
}

/**
 * The configuration in a file.
 *
 * @param settings the options of `gazette serve`
 * @param reading the options that say how a file of records is read
 * @throws GazetteError `usage` for a file that cannot be read, is not JSON, or has a member or a value that it must not
 *   have; `invalid_definition`
 */
export function readConfiguration(
  path: string,
  settings: readonly Option[],
  reading: readonly Option[],
): Configuration {
  const refuse = (reason: string): GazetteError => new GazetteError('usage', `${path}: the file ${reason}`);
  return checkConfiguration(path, parseJson(path, readText(path), refuse), settings, reading);
}

/** The same for the content of a file. @param path that of the file, which need not exist */
export function checkConfiguration(
  path: string,
  value: unknown,
  settings: readonly Option[],
  reading: readonly Option[],
): Configuration {
  const schema = configurationSchema(settings, reading, z.looseObject({ id: z.string() }));
  const result = schema.safeParse(value);
  if (!result.success) throw refusal(path, schema, result.error.issues[0]!);
  const { registers = [], ...rest } = result.data as Content;
  const folder = dirname(path);
  const known = new Set<string>();
  return {
    path,
    settings: given(rest, settings, folder),
    registers: registers.map(({ definition, import: source }, at) => {
      const name = `${path}: registers[${at}].definition`;
      if (known.has(definition.id)) throw new GazetteError('usage', `${name}: ${quote(definition.id)} is there twice`);
      known.add(definition.id);
      const { file = null, ...how } = source ?? {};
      return {
        definition: defineNew(definition.id, { members: {}, whole: { value: definition, name } }),
        file: file === null ? null : inFolder(file, folder),
        reading: given(how, reading, folder),
      };
    }),
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GazetteError('usage', `${path} cannot be read: ${reason}`, { cause });
  }
}

/** The values, with the paths as the process has to write them. */
function given(
  values: Readonly<Record<string, Given>>,
  options: readonly Option[],
  folder: string,
): ReadonlyMap<string, Given> {
  const paths = new Set(options.filter(isPath).map(memberOf));
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
