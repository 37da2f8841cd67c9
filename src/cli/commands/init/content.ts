// What `gazette init` writes to gazette.json.
import { dirname, isAbsolute, relative } from 'node:path';
import { readingFound } from '../../../import/from-file/guess-file.ts';
import type { RegisterPlan } from '../../../import/from-file/register-plan.ts';
import { withoutPassword } from '../../io/without-password.ts';
import { isPostgres, pathOf, type StoreOptions } from '../../options/store.ts';
import { membersOf } from '../import/guess.ts';

/** Where an editor finds the schema in a project that has installed gazette. */
const SCHEMA = './node_modules/gazette/dist/cli/schemas/gazette.schema.json';

/**
 * gazette.json, as it is written to this path. A store's URL with a password is left out: it belongs into the environment.
 */
export function contentOf(
  plan: RegisterPlan,
  path: string,
  { store, port }: StoreOptions & { readonly port?: number },
): object {
  const { file, answer, options, feedId, title, language, access } = plan;
  const { fields } = answer.definition;
  const place = isAbsolute(file) ? file : relative(dirname(path), file);
  const hasPassword = withoutPassword(store) !== store;
  return {
    $schema: SCHEMA,
    ...(hasPassword ? {} : { store: isPostgres(store) ? store : `sqlite:${storePlace(store, path)}` }),
    ...(port === undefined ? {} : { port }),
    registers: [
      {
        definition: { id: feedId, title, ...(language === null ? {} : { language }), access, fields },
        import: { file: place, ...membersOf(readingFound(file, answer, options)) },
      },
    ],
  };
}

/** The path of a store's file, relative to the folder of the configuration. */
function storePlace(store: string, path: string): string {
  const place = pathOf(store);
  return isAbsolute(place) || dirname(path) === '.' ? place : relative(dirname(path), place);
}
