// The commands of plugins: those that GAZETTE_PLUGIN or gazette.json names. They read a store, and see all of it.
import { GazetteError } from '../errors.ts';
import { Sight } from '../views/sight.ts';
import { RegisterViews } from '../views/registers.ts';
import type { PluginCommand } from '../service/plugins/plugin.ts';
import { callOf } from '../service/plugins/call.ts';
import { type Command, type Configuration, flag, type Option, text } from './command.ts';
import { findValue, readValue } from './configuration/values.ts';
import type { Io } from './io/io.ts';
import { PLUGIN, pluginsOf } from './options/plugin.ts';
import { STORE, type StoreOptions, withStore } from './options/store.ts';

/** The commands of all plugins, by their names. @throws GazetteError `invalid_option` for a module, or for a name that is taken */
export async function pluginCommands(
  env: Io['env'],
  configuration: Configuration | null,
  taken: readonly string[],
): Promise<Readonly<Record<string, Command>>> {
  const found = findValue('plugin', PLUGIN, [], env, configuration);
  if (found === null) return {};
  const files = readValue('plugin', PLUGIN, found) as readonly string[];
  const commands: Record<string, Command> = {};
  for (const plugin of await pluginsOf({ plugin: files })) {
    for (const [name, spec] of Object.entries(plugin.commands ?? {})) {
      if (taken.includes(name) || name in commands) {
        throw new GazetteError('invalid_option', `the plugin ${plugin.name}: there is a command ${name} already`);
      }
      commands[name] = commandOf(spec);
    }
  }
  return commands;
}

function commandOf({ description, arguments: names = [], options = {}, run }: PluginCommand): Command {
  const own = Object.entries(options).map(([name, option]) => [name, optionOf(option)] as const);
  return {
    description,
    arguments: names,
    options: { store: STORE, ...Object.fromEntries(own) },
    run: (args, given, { io, signal }) =>
      withStore(
        given as unknown as StoreOptions,
        io,
        async (store) => {
          const registers = new RegisterViews(store, () => undefined);
          const call = callOf({ store, registers, sight: new Sight({}) }, { tier: 'pro' }, { signal });
          const values = given as Readonly<Record<string, string | true | undefined>>;
          const chosen = Object.fromEntries(Object.keys(options).map((name) => [name, values[name]]));
          await run({ ...call, args, options: chosen, stdout: io.stdout, stderr: io.stderr });
        },
        { readOnly: true },
      ),
  };
}

function optionOf({ value, description }: NonNullable<PluginCommand['options']>[string]): Option<unknown> {
  return value === null ? flag(description) : text(value, description);
}
