// What the public entries show, read by TypeDoc: every type that a signature names is exported by one entry, every name means
// one thing and is exported by one entry alone, and every export and every public member has a doc comment. The entries are those of package.json. `npm run check:exports`, and the
// reference of docs/reference, are made from it. TypeDoc comes from this folder's own package.json.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Application, isNamed, loadTypeDoc, type NamedType, type Project, type ShownType } from './typedoc.ts';

/** The root of the repository. */
export const ROOT: string = join(import.meta.dirname, '../..');

/** A public entry. */
export interface Entry {
  /** As it is imported: `gazette/stores`. */
  readonly name: string;
  /** Its source file. */
  readonly file: string;
}

/** The entries of package.json that have types. */
export async function publicEntries(): Promise<readonly Entry[]> {
  const { name, exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            name: `${name}${path.slice(1)}`,
            file: join(ROOT, target.types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')),
          },
        ],
  );
}

/** How the pages of the reference look. */
const PAGES = {
  plugin: ['typedoc-plugin-markdown'],
  router: 'module',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: {
    hideInherited: true,
    hideModifiers: true,
    hideDefaults: true,
    hideOverrides: true,
    hideSources: true,
  },
  groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables'],
  sort: ['alphabetical'],
};

/** TypeDoc over entries, whose types are compiled once. */
export class Surface {
  readonly #app: Application;
  readonly #findings: string[];
  readonly #project: Project;

  private constructor(app: Application, findings: string[], project: Project) {
    this.#app = app;
    this.#findings = findings;
    this.#project = project;
  }

  /**
   * Reads entries.
   *
   * @param tsconfig the project that compiles them
   */
  static async read(entries: readonly Entry[], tsconfig: string): Promise<Surface> {
    const { Application, Logger, LogLevel } = await loadTypeDoc();
    const app = await Application.bootstrapWithPlugins({
      entryPoints: entries.map(({ file }) => file),
      tsconfig,
      // The compiler has its own check.
      skipErrorChecking: true,
      excludePrivate: true,
      excludeInternal: true,
      excludeExternals: true,
      disableSources: true,
      disableGit: true,
      readme: 'none',
      requiredToBeDocumented: [
        'Variable',
        'Function',
        'Class',
        'Interface',
        'TypeAlias',
        'Property',
        'Method',
        'Accessor',
      ],
      validation: { notExported: true, notDocumented: true, invalidLink: true },
      logLevel: 'Warn',
      ...PAGES,
    });
    const findings: string[] = [];
    app.logger = new (class extends Logger {
      /** Keeps what TypeDoc has to say. */
      override log(message: string, level: number): void {
        super.log(message, level);
        if (level >= LogLevel.Warn) findings.push(message);
      }
    })();
    const read = app.getEntryPoints();
    if (read?.length !== entries.length) throw new Error(['the entries cannot be read', ...findings].join('\n'));
    const named = read.map((entry, index) => ({ ...entry, displayName: entries[index]!.name }));
    return new Surface(app, findings, app.converter.convert(named));
  }

  /** What is wrong with the entries: also links that lead nowhere, and tags that fit nothing. */
  faults(): readonly string[] {
    this.#findings.length = 0;
    this.#app.validate(this.#project);
    const found = this.#findings.filter((text) => !isOfAnonymous(text));
    return [...found, ...heritageFaults(this.#project), ...repeatedNames(this.#project)];
  }

  /** Writes one Markdown page per entry, and an index. */
  async write(folder: string): Promise<void> {
    await this.#app.outputs.writeOutput({ name: 'markdown', path: folder }, this.#project);
  }
}

/** Whether a finding is a member without a comment in a type without a name: the comment of what has the type tells of it. */
function isOfAnonymous(text: string): boolean {
  return text.includes('.__type.') && text.endsWith('does not have any documentation');
}

/** Names that two entries export, and second names of the same thing. */
function repeatedNames(project: Project): readonly string[] {
  const entryOf = new Map<string, string>();
  return (project.children ?? []).flatMap((entry) =>
    (entry.children ?? []).flatMap((exported) => {
      const { name } = exported;
      const other = entryOf.get(name) ?? entry.name;
      entryOf.set(name, other);
      if (other !== entry.name) {
        return [`${name} is exported by ${other} and by ${entry.name}: one alone may, the lowest whose values need it`];
      }
      const meant = exported.isReference() ? exported.getTargetReflectionDeep().name : name;
      return meant === name ? [] : [`${entry.name}: ${name} is another name of ${meant}`];
    }),
  );
}

/**
 * Types of our own that classes and interfaces extend or implement, and that are not exported: TypeDoc passes them over.
 * What a class inherits may be said by the interfaces that it implements.
 */
function heritageFaults(project: Project): readonly string[] {
  return Object.values(project.reflections).flatMap((reflection) => {
    if (!reflection.isDeclaration()) return [];
    return (reflection.implementedTypes ?? reflection.extendedTypes ?? [])
      .flatMap(namesOf)
      .flatMap((type) =>
        type.reflection !== undefined || type.package !== project.packageName
          ? []
          : [`${type.name} is referenced by ${reflection.getFullName()} but not included in the documentation`],
      );
  });
}

/** A type that is named, and those among its arguments. */
function namesOf(type: ShownType): readonly NamedType[] {
  if (!isNamed(type)) return [];
  return [type, ...(type.typeArguments ?? []).flatMap(namesOf)];
}
