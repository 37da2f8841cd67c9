// What newcomers add: each is a program that changes a copy of the tree by names, in as many files as architecture.md allows.
import type { ChangedTree } from './copy.ts';

/** A command `gazette tally`: its file, and its entry in the table. */
export function addCommand(tree: ChangedTree): void {
  tree.write(
    'src/cli/commands/tally.ts',
    `// \`gazette tally\`: how many records each register has.
import { choice, command, type Undescribed } from '../command.ts';
import { STORE, withStore } from '../options/store.ts';

/** \`gazette tally\`. */
export const tallyCommand: Undescribed = command({
  arguments: [['[feed_id]', 'one register (default: all)']],
  options: { store: STORE, as: choice('<kind>', 'how the counts are written', ['lines', 'sum'], 'lines') },
  run: ([feedId], options, { io }) =>
    withStore(options, io, async (store) => {
      const counted = (await store.registers()).filter(({ definition }) => (feedId ?? definition.id) === definition.id);
      const lines = counted.map(({ definition, total }) => \`\${definition.id} \${total}\`);
      const sum = counted.reduce((all, { total }) => all + total, 0);
      io.stdout.write(\`\${options.as === 'sum' ? String(sum) : lines.join('\\n')}\\n\`);
    }),
});
`,
  );
  const said = "usage: '[options] [feed_id]', description: 'Count the records of each register.'";
  const load = "async () => (await import('./commands/tally.ts')).tallyCommand";
  tree.extend('src/cli/main.ts', 'CORE', `tally: { ${said}, load: ${load} },`);
}

/** An option \`--motto\` of \`gazette serve\`, which is a setting: its member of the options, and its object. */
export function addSetting(tree: ChangedTree): void {
  tree.extend('src/cli/options/serving.ts', 'ServeOptions', 'readonly motto?: string;');
  tree.extend('src/cli/options/serving.ts', 'SERVE_OPTIONS', "motto: text('<text>', 'what the service stands for'),");
}

/** A route \`/feeds/{feed_id}/size\` with its entry in openapi.json: its file, and its line in the list of the service. */
export function addRoute(tree: ChangedTree): void {
  tree.write(
    'src/http/routes/size.ts',
    `// \`/feeds/{feed_id}/size\`: how many records a register has.
import { z } from 'zod';
import { entityTag } from '../../web/validators.ts';
import { feedParams, readFeedId } from '../description/parameters.ts';
import type { Route } from '../route.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

const sizeSchema = z.object({ records: z.int().meta({ description: 'Live records.' }) }).meta({ id: 'Size' });

/** \`/feeds/{feed_id}/size\`. */
export function sizeRoute(service: ServiceContext): Route {
  return {
    path: '/feeds/{feed_id}/size',
    access: 'public',
    documentation: {
      operationId: 'getSize',
      tag: 'Registers',
      summary: 'How many records a register has',
      description: 'Live records alone.',
      params: feedParams,
      response: { description: 'The size.', content: { 'application/json': { schema: sizeSchema } } },
    },
    async answer(context, pathParameters) {
      const feedId = readFeedId(pathParameters);
      const records = (await service.store.register(feedId))?.total ?? 0;
      return service.answer(context, {
        view: null,
        etag: entityTag('size', feedId, String(records), context.access.tier, context.api),
        isText: true,
        write: () => jsonBody({ records }),
      });
    },
  };
}
`,
  );
  tree.addImport('src/service/create-gazette.ts', "import { sizeRoute } from '../http/routes/size.ts';");
  tree.extend('src/service/create-gazette.ts', 'routes', 'sizeRoute(service),');
}

/** An export format \`psv\`: its file, and its lines in the table of formats. */
export function addFormat(tree: ChangedTree): void {
  tree.write(
    'src/formats/psv.ts',
    `// Values between vertical lines, a record on each line.
import type { Page } from '../register/page.ts';
import type { Format, Output, Sink } from './format.ts';

class PsvSink implements Sink {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
    out.text('id|title\\n');
  }

  write({ records }: Page): void {
    for (const { id, title } of records) this.#out.text(\`\${id}|\${title.replaceAll('|', ' ')}\\n\`);
  }

  close(): void {
    // The last line ends as all others.
  }
}

/** PSV. */
export const psv: Format = {
  name: 'psv',
  mediaType: 'text/x-psv; charset=utf-8',
  extension: 'psv',
  optionNames: [],
  open: (out) => new PsvSink(out),
};
`,
  );
  tree.addImport('src/formats/index.ts', "import { psv } from './psv.ts';");
  tree.extend('src/formats/index.ts', 'FORMATS', 'psv,');
  tree.extend('src/formats/index.ts', 'EXPORT_FORMATS', 'psv,');
}

/** A core field `region`: its lines in the table and in the type, its names on pages, and its column. */
export function addCoreField(tree: ChangedTree): void {
  tree.extend(
    'src/register/fields.ts',
    'CORE_FIELDS',
    `{
    name: 'region',
    label: 'Region',
    type: 'text',
    description: 'The region concerned.',
    nullable: true,
    tier: 'latest',
    column: 10,
    place: 'table',
  },`,
  );
  tree.extend('src/register/record.ts', 'RegisterRecord', 'readonly region: string | null;', 'data');
  tree.extend('src/register/record.ts', 'values', 'record.region,');
  tree.extend('src/register/record.ts', 'core', 'region: values[place.at++],', 'data');
  tree.extend('src/templates/languages/en.ts', 'core', "region: 'Region',");
  tree.extend('src/templates/languages/de.ts', 'core', "region: 'Gegend',");
  const migration = (table: string, type: string): string => `{
    name: 'the region of a record',
    compatibleFrom: FIRST_SCHEMA + 1,
    sql: ['records', 'withdrawn', 'contents'].map((table) => \`ALTER TABLE ${table} ADD COLUMN region ${type};\`).join(''),
  },`;
  for (const [engine, list, table, type] of [
    ['sqlite', 'SQLITE_MIGRATIONS', '${table}', 'TEXT'],
    ['postgres', 'migrations', '${schema}.${table}', 'text COLLATE "C"'],
  ] as const) {
    const path = `src/stores/${engine}/migrations.ts`;
    tree.addImport(path, "import { FIRST_SCHEMA } from '../logic/migration.ts';");
    tree.extend(path, list, migration(table, type));
  }
}

/** An exact filter `author`: its lines in the table of filters. */
export function addExactFilter(tree: ChangedTree): void {
  const path = 'src/register/finding/filters.ts';
  tree.extend(path, 'EXACT', "author: 'Only records of exactly these authors.',");
  tree.write(path, tree.read(path).replace('export type CountedField = ', "export type CountedField = 'author' | "));
}
