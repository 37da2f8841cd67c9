// TypeDoc, which comes from this folder's own package.json: it is loaded by name and seen through small structural types of
// what is used of it, so that types and lint of the repository do not need it.
import { installPackages } from '../../bench/peers.ts';

/** A source file that TypeDoc reads, compiled. */
export interface EntryPoint {
  readonly displayName: string;
}

/** A type in a signature. A reference to a named type is the one whose `type` is `reference`. */
export interface ShownType {
  readonly type: string;
}

/** A type that is named in a signature. */
export interface NamedType extends ShownType {
  readonly type: 'reference';
  readonly name: string;
  /** The package that declares it. */
  readonly package?: string;
  /** What is documented of it; undefined when it is not documented. */
  readonly reflection: object | undefined;
  readonly typeArguments?: readonly ShownType[];
}

/** Something that is documented. */
interface Reflection {
  readonly name: string;
  isDeclaration(): this is Declaration;
  /** Whether it stands for what is documented elsewhere. */
  isReference(): this is Reference;
  getFullName(): string;
}

/** A name for what is documented elsewhere. */
interface Reference extends Reflection {
  getTargetReflectionDeep(): Reflection;
}

/** A declaration that is documented: a class, an interface, a member. */
interface Declaration extends Reflection {
  readonly extendedTypes?: readonly ShownType[];
  readonly implementedTypes?: readonly ShownType[];
}

/** All that is documented of some entries. */
export interface Project {
  readonly packageName?: string;
  /** One for each entry. */
  readonly children?: readonly { readonly name: string; readonly children?: readonly Reflection[] }[];
  readonly reflections: Readonly<Record<number, Reflection>>;
}

/** What TypeDoc says goes through here. */
interface Log {
  log(message: string, level: number): void;
}

/** TypeDoc with its options. */
export interface Application {
  logger: Log;
  readonly converter: { convert(entries: readonly EntryPoint[]): Project };
  readonly outputs: { writeOutput(output: { name: string; path: string }, project: Project): Promise<void> };
  getEntryPoints(): readonly EntryPoint[] | undefined;
  validate(project: Project): void;
}

/** The module. */
interface TypeDoc {
  readonly Application: { bootstrapWithPlugins(options: Readonly<Record<string, unknown>>): Promise<Application> };
  readonly Logger: new () => Log;
  readonly LogLevel: { readonly Warn: number };
}

/** Loads TypeDoc. Installs it first where it is missing or older than this folder's lock file asks. */
export async function loadTypeDoc(): Promise<TypeDoc> {
  installPackages(import.meta.dirname);
  const name = 'typedoc';
  return (await import(name)) as TypeDoc;
}

/** Whether a type is a named one. */
export function isNamed(type: ShownType): type is NamedType {
  return type.type === 'reference';
}
