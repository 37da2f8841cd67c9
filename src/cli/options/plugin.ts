// `--plugin`: what others add to a service, in modules of theirs.
import type { Plugin } from '../../service/plugins/plugin.ts';
import { list, type Option, setting } from '../command.ts';
import { moduleUrl } from './format-module.ts';

/** The named modules. */
export interface PluginOptions {
  readonly plugin: readonly string[];
}

/** `--plugin`. */
export const PLUGIN: Option<readonly string[]> = setting(
  list('<file>', 'a JavaScript or TypeScript module that exports a plugin as "plugin"', 'none'),
);

/** The plugins of the modules. @throws GazetteError `invalid_option` for a module that exports none */
export async function pluginsOf({ plugin }: PluginOptions): Promise<readonly Plugin[]> {
  if (plugin.length === 0) return [];
  const { loadPlugin } = await import('../../service/plugins/check.ts');
  return Promise.all(plugin.map((file) => loadPlugin(moduleUrl(file))));
}
