// Checks plugins before anything of them is used: by name, so that their authors find what is wrong.
import { z } from 'zod';
import { checkUnique, isObject } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { JsonObject, Plugin } from './plugin.ts';

/** The name by which a module exports its plugin. */
export const PLUGIN_EXPORT = 'plugin';

const NAME = /^[a-z][a-z0-9-]{0,63}$/;
const TOOL = /^[a-z][a-z0-9_]{0,63}$/;
const PATH = /^(?:\/(?:[\w.~-]+|\{[a-z_]+\}))+$/;
const METRIC = /^plugin_[a-z0-9_]+$/;
const NAME_TEXT = 'lower-case letters, digits and -, beginning with a letter';

/**
 * Checks a plugin: what it adds is named by it, and its schemas can be read.
 *
 * @throws GazetteError `invalid_option`, naming the plugin and the member
 * @example export const plugin = definePlugin({ name: 'months', routes: [{ path: '/months/{year}', … }] });
 */
export function definePlugin(plugin: Plugin): Plugin {
  const given: unknown = plugin;
  if (!isObject(given)) throw wrong(`a plugin must be an object, got ${quote(given)}`);
  const who = `the plugin ${quote(plugin.name)}`;
  check(`a plugin`, 'name', plugin.name, NAME, NAME_TEXT);
  for (const { path, answer, query = {}, schema } of plugin.routes ?? []) {
    checkPath(who, path, answer);
    for (const [name, one] of Object.entries(query)) readSchema(`${who}: ${name} of ${path}`, one);
    if (schema !== undefined) readSchema(`${who}: schema of ${path}`, schema);
  }
  for (const { path, answer } of plugin.pages ?? []) checkPath(who, path, answer);
  for (const { name, inputSchema, outputSchema, run } of plugin.tools ?? []) {
    check(who, 'the name of a tool', name, TOOL, 'lower-case letters, digits and _, beginning with a letter');
    checkFunction(who, `run of ${name}`, run);
    for (const schema of [inputSchema, ...(outputSchema === undefined ? [] : [outputSchema])]) {
      readSchema(`${who}: a schema of ${name}`, schema);
      if (schema.type !== 'object') throw wrong(`${who}: a schema of ${name} must be of an object`);
    }
  }
  for (const { name, read } of plugin.metrics ?? []) {
    check(who, 'the name of a metric', name, METRIC, 'plugin_ and lower-case letters, digits and _');
    checkFunction(who, `read of ${name}`, read);
  }
  for (const [name, { run }] of Object.entries(plugin.commands ?? {})) {
    check(who, 'the name of a command', name, NAME, NAME_TEXT);
    checkFunction(who, `run of ${name}`, run);
  }
  return plugin;
}

/**
 * Checks the plugins of a service.
 *
 * @throws GazetteError `invalid_option` for one that is none, and for a name that two have
 */
export function checkPlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  for (const plugin of plugins) definePlugin(plugin);
  const metrics = plugins.flatMap((plugin) => plugin.metrics ?? []);
  for (const [what, all] of Object.entries({ plugins, metrics }))
    checkUnique(
      what,
      all.map(({ name }) => name),
    );
  return plugins;
}

/** A schema that validates. @throws GazetteError `invalid_option` for one that cannot be read. @param what whose it is */
export function readSchema(what: string, schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema(schema);
  } catch (cause) {
    throw wrong(`${what} must be a JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

/**
 * Loads the plugin that a module exports as `plugin`.
 *
 * @throws GazetteError `invalid_option`, naming the module, when it cannot be loaded or exports no plugin
 */
export async function loadPlugin(module: URL): Promise<Plugin> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = (await import(module.href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw wrong(`the plugin module ${module.href} cannot be loaded: ${reason}`, cause);
  }
  const plugin = exported[PLUGIN_EXPORT];
  if (plugin !== undefined) return definePlugin(plugin as Plugin);
  const names = Object.keys(exported).join(', ');
  throw wrong(
    `the plugin module ${module.href} must export its plugin as "${PLUGIN_EXPORT}", it exports ${names === '' ? 'nothing' : names}`,
  );
}

function checkPath(who: string, path: unknown, answer: unknown): void {
  check(who, 'a path', path, PATH, 'segments after slashes, with parameters in braces');
  checkFunction(who, `answer of ${path as string}`, answer);
}

function check(who: string, member: string, value: unknown, pattern: RegExp, expected: string): void {
  if (typeof value === 'string' && pattern.test(value)) return;
  throw wrong(`${who}: ${member} must be ${expected}, got ${quote(value)}`);
}

function checkFunction(who: string, member: string, value: unknown): void {
  if (typeof value !== 'function') throw wrong(`${who}: ${member} must be a function, got ${quote(value)}`);
}

function wrong(message: string, cause?: unknown): GazetteError {
  return new GazetteError('invalid_option', message, {
    ...(cause === undefined ? {} : { cause }),
    details: { option: 'plugins' },
  });
}
