// A copy of the working tree, changed as somebody does who adds something: new files, and further members of what has a name.
// Nothing here knows a line or its neighbours, so a change of the house does not break it as long as the names stay.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');

/** A copy of all files that git knows or would take in, with the packages of this tree. @returns its folder */
export function copyOfTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-copy-'));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const deleted = new Set(
    execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: ROOT, encoding: 'utf8' }).split('\0'),
  );
  for (const path of listed.split('\0')) if (!deleted.has(path)) cpSync(join(ROOT, path), join(folder, path));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What can be extended by its name: a table, a list, or the members of an interface. */
type Extensible = ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | ts.InterfaceDeclaration;

/** A copy that is being changed. */
export class ChangedTree {
  readonly #root = copyOfTree();
  readonly #changed = new Set<string>();

  /** The files that were written or changed, by their path from the root. */
  get changed(): readonly string[] {
    return [...this.#changed].sort();
  }

  /** The text of a file. */
  read(path: string): string {
    return readFileSync(join(this.#root, path), 'utf8');
  }

  /** Writes a file, new or in place of what was there. */
  write(path: string, text: string): void {
    this.#changed.add(path);
    writeFileSync(join(this.#root, path), text);
  }

  /** Adds an import to a file. @param statement such as `import { a } from './a.ts';` */
  addImport(path: string, statement: string): void {
    const file = this.#parse(path);
    const last = file.statements.filter(ts.isImportDeclaration).at(-1);
    this.#insert(path, last?.end ?? 0, `\n${statement}\n`);
  }

  /**
   * Adds members to a table, a list or an interface, as its last.
   *
   * @param name that of the variable, the property or the interface; within a function too
   * @param members such as `census: () => null,` or `readonly census: string;`
   * @param before the name of the member before which they come. Default: they are the last
   * @throws Error unless exactly one thing of the file has this name and can be extended
   */
  extend(path: string, name: string, members: string, before?: string): void {
    const found = extensibles(this.#parse(path), name);
    const [only] = found;
    if (only === undefined || found.length > 1)
      throw new Error(`${path} has ${found.length} tables, lists or interfaces ${name}`);
    const list = ts.isObjectLiteralExpression(only)
      ? only.properties
      : ts.isArrayLiteralExpression(only)
        ? only.elements
        : only.members;
    const next = before === undefined ? undefined : [...list].find((one) => nameOf(one) === before);
    if (before !== undefined) {
      if (next === undefined) throw new Error(`${name} of ${path} has no member ${before}`);
      this.#insert(path, next.getStart(), `${members}\n`);
      return;
    }
    const comma = ts.isInterfaceDeclaration(only) || list.hasTrailingComma || list.length === 0 ? '' : ',';
    this.#insert(path, list.end, `${comma}\n${members}\n`);
  }

  /** Runs a program of the copy. @returns what it printed @throws Error with what it said when it failed */
  run(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: this.#root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stderr}${stdout}`);
    return stdout;
  }

  /** Runs a module of the copy, which stands at its root. @param text imports from `./src/…` @returns what it printed as JSON */
  ask(text: string): unknown {
    const path = join(this.#root, 'asked.ts');
    writeFileSync(path, text);
    try {
      return JSON.parse(this.run('asked.ts'));
    } finally {
      rmSync(path);
    }
  }

  /** @param project that of all files, or of the sources alone @throws Error with what the compiler says when types do not fit */
  checkTypes(project = 'tsconfig.json'): void {
    this.run('node_modules/typescript/bin/tsc', '--noEmit', '-p', project);
  }

  /** Removes the copy. */
  remove(): void {
    rmSync(this.#root, { recursive: true });
  }

  #parse(path: string): ts.SourceFile {
    return ts.createSourceFile(path, this.read(path), ts.ScriptTarget.Latest, true);
  }

  #insert(path: string, at: number, text: string): void {
    const before = this.read(path);
    this.write(path, before.slice(0, at) + text + before.slice(at));
  }
}

/** All in a file that has this name and can be extended; a property only if there is nothing else. */
function extensibles(file: ts.SourceFile, name: string): readonly Extensible[] {
  const found: Extensible[] = [];
  const properties: Extensible[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) && node.name.text === name) found.push(node);
    const isNamed = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
    if (isNamed && node.name.getText(file) === name) {
      const value = valueOf(node.initializer);
      if (value !== null) (ts.isPropertyAssignment(node) ? properties : found).push(value);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.length > 0 ? found : properties;
}

function nameOf(node: ts.Node): string | undefined {
  return (node as { readonly name?: ts.Node }).name?.getText();
}

/** The table or the list of a variable, also one that a function is given first: `settings({ … })`. */
function valueOf(node: ts.Node | undefined): ts.ObjectLiteralExpression | ts.ArrayLiteralExpression | null {
  if (node === undefined) return null;
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) return node;
  if (ts.isCallExpression(node)) return valueOf(node.arguments[0]);
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? valueOf(node.expression) : null;
}
