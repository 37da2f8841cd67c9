// Checks plugins before anything of them is used: by name, so that their authors find what is wrong.
import { registerHooks } from 'node:module';
import { z } from 'zod';
import { checkUnique } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import { isMediaType, loadExport } from '../../formats/check-formats.ts';
import type { JsonObject, Plugin } from './plugin.ts';
import { readSchema } from './schema.ts';

const PARAMETERS = /\{[a-z_]+\}/g;

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and -, beginning with a letter');
const text = z.string().min(1);
const run = z.custom((value) => typeof value === 'function', 'must be a function');
const schema = z.record(z.string(), z.unknown());
const path = z
  .string()
  .regex(/^(?:\/(?:[\w.~-]+|\{[a-z_]+\}))+$/, 'must be segments after slashes, with parameters in braces')
  .refine((value) => new Set(value.match(PARAMETERS)).size === (value.match(PARAMETERS) ?? []).length, {
    error: 'must not have a parameter twice',
  });
const option = z.strictObject({
  value: z
    .string()
    .regex(/^<.+>$/)
    .nullable(),
  description: text,
});

/** Names that options of every command have. */
const TAKEN = ['store', 'config', 'help'];

/** What a plugin is made of. */
const PLUGIN = z.strictObject({
  name,
  routes: z
    .array(
      z.strictObject({
        ...{ path, summary: text, answer: run },
        access: z.enum(['public', 'pro']).optional(),
        description: text.optional(),
        query: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), schema).optional(),
        mediaType: z.string().refine(isMediaType, 'must be a media type such as text/csv').optional(),
        schema: schema.optional(),
      }),
    )
    .optional(),
  pages: z
    .array(
      z.strictObject({
        path: path.refine((value) => !/^\/(?:api|desk|account)(?:\/|$)/.test(value), {
          error: 'must not be below /api, /account or /desk',
        }),
        answer: run,
      }),
    )
    .optional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _'),
        ...{ title: text, description: text, inputSchema: schema, outputSchema: schema.optional(), run },
      }),
    )
    .optional(),
  metrics: z
    .array(
      z.strictObject({
        name: z.string().regex(/^plugin_[a-z0-9_]+$/, 'must be plugin_ and lower-case letters, digits and _'),
        ...{ help: text, read: run },
      }),
    )
    .optional(),
  commands: z
    .record(
      name,
      z.strictObject({
        ...{ description: text, run },
        arguments: z.array(z.tuple([z.string().regex(/^(?:<.+>|\[.+\])$/), z.string()])).optional(),
        options: z
          .record(
            z
              .string()
              .regex(/^[a-z][A-Za-z0-9]*$/)
              .refine((value) => !TAKEN.includes(value), 'is taken'),
            option,
          )
          .optional(),
      }),
    )
    .optional(),
});

/**
 * Checks a plugin: what it adds is named by it, and its schemas can be read.
 *
 * @throws GazetteError `invalid_option`, naming the plugin and the member
 * @example export const plugin = definePlugin({ name: 'months', routes: [{ path: '/months/{year}', … }] });
 */
export function definePlugin(plugin: Plugin): Plugin {
  const { error } = PLUGIN.safeParse(plugin);
  const given = (plugin as { readonly name?: unknown } | null | undefined)?.name;
  const who = `the plugin ${typeof given === 'string' ? given : ''}`.trim();
  if (error !== undefined) {
    const [{ path: members, message }] = error.issues as [z.core.$ZodIssue];
    throw wrong(`${who}: ${members.map(String).join('.')}: ${message}`.replace(': : ', ': '));
  }
  for (const { path, query = {} } of plugin.routes ?? []) {
    for (const [parameter, one] of Object.entries(query)) readSchema(`${who}: ${parameter} of ${path}`, one);
  }
  for (const { name, inputSchema } of plugin.tools ?? []) {
    readSchema(`${who}: inputSchema of ${name}`, inputSchema);
    checkObject(`${who}: inputSchema of ${name}`, inputSchema);
  }
  for (const { name, outputSchema } of plugin.tools ?? []) {
    if (outputSchema !== undefined) checkObject(`${who}: outputSchema of ${name}`, outputSchema);
  }
  return plugin;
}

function checkObject(what: string, { type }: JsonObject): void {
  if (type !== 'object') throw wrong(`${what} must have the type object`);
}

/**
 * Checks the plugins of a service.
 *
 * @throws GazetteError `invalid_option` for one that is none, and for a name that two have
 */
export function checkPlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  for (const plugin of plugins) definePlugin(plugin);
  const metrics = plugins.flatMap((plugin) => plugin.metrics ?? []);
  for (const [what, all] of Object.entries({ plugins, metrics })) {
    checkUnique(
      what,
      all.map(({ name }) => name),
    );
  }
  return plugins;
}

/**
 * Refuses paths of plugins that would answer what another answers.
 *
 * @param taken gazette's own
 * @throws GazetteError `invalid_option`
 */
export function checkPaths(taken: readonly Place[], own: readonly Place[]): void {
  for (const [at, { path }] of own.entries()) {
    const other = [...taken, ...own.slice(0, at)].find((one) => overlap(one.path, path));
    if (other !== undefined) throw wrong(`a plugin must not answer ${path}: ${other.path} is there already`);
  }
}

/** Something with a path. */
interface Place {
  readonly path: string;
}

/** Whether a path can be one of both. */
function overlap(a: string, b: string): boolean {
  const [one, other] = [a.split('/'), b.split('/')];
  return one.length === other.length && one.every((segment, at) => canBeSame(segment, other[at]!));
}

function canBeSame(a: string, b: string): boolean {
  if (a.includes('{')) return b.includes('{') || beginsAndEnds(a, b);
  return b.includes('{') ? beginsAndEnds(b, a) : a === b;
}

/** @param pattern a segment with a parameter, such as `export.{format}` */
function beginsAndEnds(pattern: string, segment: string): boolean {
  const [begin, end] = pattern.split(/\{[a-z_]+\}/) as [string, string];
  return segment.length > begin.length + end.length && segment.startsWith(begin) && segment.endsWith(end);
}

/**
 * Loads the plugin that a module exports as `plugin`. Where gazette cannot be found from the module, it is this one.
 *
 * @throws GazetteError `invalid_option`, naming the module, when it cannot be loaded or exports no plugin
 */
export async function loadPlugin(module: URL): Promise<Plugin> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!/^gazette(?:\/|$)/.test(specifier)) throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
  try {
    return definePlugin((await loadExport(module, 'plugin', 'plugins')) as Plugin);
  } finally {
    hooks.deregister();
  }
}

function wrong(message: string): GazetteError {
  return new GazetteError('invalid_option', message, { details: { option: 'plugins' } });
}
