// What the public entries show, read by TypeDoc: an entry exports every type its signatures name, and every export and
// every public member has a doc comment. The entries are those of package.json. `npm run check:exports`, and the
// reference of docs/reference, are made from it. TypeDoc comes from this folder's own package.json.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Application,
  type EntryPoint,
  isNamed,
  loadTypeDoc,
  type NamedType,
  type Project,
  type ShownType,
} from './typedoc.ts';

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
  readonly #entries: readonly EntryPoint[];

  private constructor(app: Application, findings: string[], entries: readonly EntryPoint[]) {
    this.#app = app;
    this.#findings = findings;
    this.#entries = entries;
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
    return new Surface(app, findings, named);
  }

  /** What is wrong with each entry by itself: a name that another entry exports is none of its own. */
  faults(): readonly string[] {
    this.#app.options.setValue('validation', { notExported: true, notDocumented: true, invalidLink: false });
    return this.#entries.flatMap((entry) => {
      let heritage: readonly string[] = [];
      const texts = this.#said(() => {
        const project = this.#app.converter.convert([entry]);
        this.#app.validate(project);
        heritage = heritageFaults(project);
      });
      return [...texts.filter((text) => !isOfAnonymous(text)), ...heritage].map(
        (text) => `${entry.displayName}: ${text}`,
      );
    });
  }

  /** Writes one Markdown page per entry, and an index. @returns links that lead nowhere, tags that fit nothing */
  async write(folder: string): Promise<readonly string[]> {
    this.#app.options.setValue('validation', { notExported: false, notDocumented: false, invalidLink: true });
    let project: Project | undefined;
    const texts = this.#said(() => {
      project = this.#app.converter.convert(this.#entries);
      this.#app.validate(project);
    });
    await this.#app.outputs.writeOutput({ name: 'markdown', path: folder }, project!);
    return texts;
  }

  #said(run: () => void): readonly string[] {
    this.#findings.length = 0;
    run();
    return [...this.#findings];
  }
}

/** Whether a finding is a member without a comment in a type without a name: the comment of what has the type tells of it. */
function isOfAnonymous(text: string): boolean {
  return text.includes('.__type.') && text.endsWith('does not have any documentation');
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
