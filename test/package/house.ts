// What the house measures of itself, and its bounds: in how many files of src/ a core field's name stands, how many names the
// entries have, how large folders and files are. `npm run check:house` prints it and fails above a bound.
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import ts from 'typescript';
import { CORE_FIELDS } from '../../src/register/fields.ts';
import { publicEntries, ROOT } from './surface.ts';

/** The most of each. A bound is raised only in a commit that says why; where less is there, lower it. */
export const BOUNDS: Readonly<Record<string, number>> = {
  'files in a folder': 16,
  'lines in a file': 300,
  'files with id': 63,
  'files with feed_id': 102,
  'files with key': 46,
  'files with title': 35,
  'files with summary': 8,
  'files with content': 2,
  'files with content_type': 8,
  'files with author': 8,
  'files with document_type': 35,
  'files with facility_id': 12,
  'files with source_url': 41,
  'files with published_at': 42,
  'files with observed_at': 47,
  'files with updated_at': 32,
  'files with version': 31,
  'files with position': 13,
  'names of gazette': 75,
  'names of gazette/errors': 7,
  'names of gazette/reference': 2,
  'names of gazette/stores': 55,
  'names of gazette/import': 44,
  'names of gazette/client': 27,
  'names of gazette/mirror': 14,
  'names of gazette/service': 73,
  'names of gazette/snapshot': 11,
  'names of gazette/webhooks': 19,
  'names of gazette/webhooks/verify': 9,
  'names of gazette/x402': 7,
  'names of gazette/proofs': 28,
  'names of gazette/testing': 19,
  'names of all entries': 390,
};

/** Something that was counted. */
export interface Measure {
  readonly what: string;
  readonly count: number;
  /** Where, if that is not said by `what`. */
  readonly where?: string;
}

/** A source file, by its path below src/. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** The source files of src/, schemas that are made not among them. */
export function readSources(): readonly Source[] {
  return globSync('src/**/*.ts', { cwd: ROOT }).map((path) => ({
    path: relative('src', path),
    text: readFileSync(`${ROOT}/${path}`, 'utf8'),
  }));
}

/** How many lines a source has. */
export function linesOf({ text }: Source): number {
  return text.split('\n').length - 1;
}

/** Everything that has a bound. */
export async function measure(sources: readonly Source[]): Promise<readonly Measure[]> {
  const folders = Map.groupBy(sources, ({ path }) => dirname(path));
  const names = (await publicEntries()).map(({ name, file }) => ({ name, count: namesIn(file) }));
  return [
    ...Array.from(folders, ([where, { length }]) => ({ what: 'files in a folder', count: length, where })),
    ...sources.map((source) => ({ what: 'lines in a file', count: linesOf(source), where: source.path })),
    ...CORE_FIELDS.map(({ name }) => {
      const written = new RegExp(name.includes('_') ? `\\b${name}\\b` : `'${name}'`);
      return { what: `files with ${name}`, count: sources.filter(({ text }) => written.test(text)).length };
    }),
    ...names.map(({ name, count }) => ({ what: `names of ${name}`, count })),
    { what: 'names of all entries', count: names.reduce((sum, { count }) => sum + count, 0) },
  ];
}

/** How many names an entry exports. */
function namesIn(file: string): number {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return statements.reduce((sum, statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      if (exportClause === undefined || !ts.isNamedExports(exportClause))
        throw new Error(`${file}: a name for each export`);
      return sum + exportClause.elements.length;
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported === true ? sum + 1 : sum;
  }, 0);
}

/** What is above its bound, or has none. */
export function boundFaults(measures: readonly Measure[], bounds: typeof BOUNDS = BOUNDS): readonly string[] {
  return measures.flatMap(({ what, count, where = 'src' }) => {
    const bound = bounds[what];
    if (bound !== undefined && count <= bound) return [];
    return [`${where}: ${count} ${what}, and ${bound === undefined ? 'no bound' : `at most ${bound}`}`];
  });
}

/** The bounds that can be lowered. */
export function looseBounds(measures: readonly Measure[], bounds: typeof BOUNDS = BOUNDS): readonly string[] {
  return Object.entries(bounds).flatMap(([what, bound]) => {
    const most = Math.max(0, ...measures.filter((measure) => measure.what === what).map(({ count }) => count));
    return most < bound ? [`${what}: ${most}, not ${bound}`] : [];
  });
}
