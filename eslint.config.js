// Lint rules: type-aware, with no-floating-promises above all (a lost promise is a lost error).
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

const RESTRICTED = [
  { selector: 'ExportDefaultDeclaration', message: 'No default exports: one name for one thing.' },
  { selector: "ClassDeclaration[superClass.name='Error']", message: 'GazetteError is the only error class.' },
];

/** A rule of the stores (src/stores/logic/rule.ts): a generator that is given `sql`. */
const RULE = ":function[generator=true][params.0.name='sql']";
const FORGOTTEN = 'A query or a rule does nothing until `yield*` runs it.';

// A forgotten `yield*` type-checks where nobody looks at the answer, and then the statement is never run.
const RESTRICTED_IN_RULES = [
  {
    selector:
      ":not(YieldExpression[delegate=true]) > TaggedTemplateExpression:matches([tag.object.name='sql'], [tag.callee.object.name='sql'])",
    message: FORGOTTEN,
  },
  { selector: ":not(YieldExpression[delegate=true]) > CallExpression[arguments.0.name='sql']", message: FORGOTTEN },
  {
    selector: "CallExpression[arguments.0.name!='sql'] > Identifier.arguments[name='sql']",
    message: 'A rule is given sql first: the lint knows by it what `yield*` has to run.',
  },
  {
    selector:
      ":not(YieldExpression[delegate=true]) > CallExpression[callee.object.name='sql'][callee.property.name=/^(get|put|drop)$/]",
    message: FORGOTTEN,
  },
  {
    selector:
      ":not(TaggedTemplateExpression) > CallExpression[callee.object.name='sql'][callee.property.name!=/^(get|put|drop)$/]",
    message: 'sql.one(shape) and sql.all(shape) take their statement at once: sql.one(SHAPE)`SELECT …`.',
  },
  {
    selector:
      ":not(TaggedTemplateExpression, CallExpression) > MemberExpression[object.name='sql'][property.name!='plugins']",
    message: 'sql is used where it is given: sql.run`…`, sql.one(SHAPE)`…`, sql.all(SHAPE)`…`.',
  },
  {
    selector:
      ":function[generator=true][params.0.typeAnnotation.typeAnnotation.typeName.name='Sql']:not([params.0.name='sql'])",
    message: 'A rule calls what it asks the database with `sql`: the lint knows it by this name.',
  },
  { selector: `${RULE} YieldExpression[delegate=false]`, message: 'A rule yields nothing by itself: use `yield*`.' },
  { selector: `${RULE} TryStatement`, message: 'A rule catches no error: after one, a transaction is lost.' },
  {
    selector: `${RULE} :matches(MemberExpression[object.name=/^(Date|performance|crypto)$/], MemberExpression[object.name='Math'][property.name='random'], NewExpression[callee.name='Date'][arguments.length=0])`,
    message: 'A rule reads no clock and draws no random number: it may be run more than once. Give it the value.',
  },
];

/** What the compiler says of each file of a program. */
const diagnostics = new WeakMap();

/** Asks it of all files at once: what it says depends a little on what the rules have asked of it before. */
function diagnosticsOf(program) {
  const known = diagnostics.get(program);
  if (known !== undefined) return known;
  const files = program.getSourceFiles().filter((file) => !program.isSourceFileFromExternalLibrary(file));
  const found = files.map((file) => [
    file.fileName,
    [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
      ...program.getDeclarationDiagnostics(file),
    ],
  ]);
  diagnostics.set(program, new Map(found));
  return diagnostics.get(program);
}

/** What `tsc` says: the lint has read the whole program anyway, which is most of the work. */
const COMPILER = {
  meta: { type: 'problem', schema: [] },
  create: ({ filename, report, sourceCode }) => ({
    Program(node) {
      const { program } = sourceCode.parserServices;
      for (const { start, code, messageText } of [
        ...program.getOptionsDiagnostics(),
        ...diagnosticsOf(program).get(program.getSourceFile(filename).fileName),
      ]) {
        const message = `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
        report(start === undefined ? { node, message } : { loc: sourceCode.getLocFromIndex(start), message });
      }
    },
  }),
};

export default defineConfig(
  globalIgnores([
    'dist/',
    'node_modules/',
    'bench/node_modules/',
    'bench/results/',
    'test/conformance/node_modules/',
    'test/package/node_modules/',
    'test/docs/.blocks-*',
  ]),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: './tsconfig.json',
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { types: { rules: { compiler: COMPILER } } },
    rules: {
      'types/compiler': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Index loops over strings and buffers are the writers' bread; a cast would only hide the check for undefined.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // An async method that has nothing to wait for yet still has to answer the interface's promise.
      '@typescript-eslint/require-await': 'off',
      'no-control-regex': 'off',
      // There are no enums: the compiler refuses them (erasableSyntaxOnly).
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      'no-restricted-syntax': ['error', ...RESTRICTED],
    },
  },
  {
    files: ['src/stores/logic/**', 'src/wings/*/stores/**', 'test/stores/toy-concern/logic.ts'],
    rules: { 'no-restricted-syntax': ['error', ...RESTRICTED, ...RESTRICTED_IN_RULES] },
  },
  {
    // Pure by rule: these run in any web-standard runtime.
    files: [
      'src/register/**',
      'src/client/**',
      'src/formats/*.ts',
      'src/formats/feeds/**',
      'src/formats/xml/**',
      'src/webhooks/event.ts',
      'src/webhooks/signature-rules.ts',
      'src/webhooks/verify.ts',
      'src/webhooks/web-signature.ts',
      'src/webhooks/receive/delivery-rules.ts',
      'src/webhooks/receive/verify.ts',
      'src/errors.ts',
      'src/problem.ts',
      'src/public-errors.ts',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'Web-standard globals only in this folder.' }] },
      ],
      'no-restricted-globals': ['error', 'process', 'Buffer', 'setImmediate', '__dirname'],
    },
  },
  {
    // Libraries, which the command line is one user of: they neither print nor read the process's own surroundings.
    files: ['src/mirror/**', 'src/operate/**', 'src/views/**', 'src/wings/*/{mirror,operate}/**'],
    rules: { 'no-restricted-globals': ['error', 'process', 'console'] },
  },
  {
    // A command runs without a process of its own, too.
    files: ['src/cli/commands/**', 'src/cli/io/**', 'src/cli/options/**', 'src/wings/*/cli/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['stdin', 'stdout', 'stderr', 'env'].map((property) => ({
          object: 'process',
          property,
          message: 'Commands read and write the Io that they are given.',
        })),
      ],
    },
  },
  {
    // A test waits for the thing itself.
    files: ['test/**'],
    ignores: ['test/until.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:timers/promises',
              importNames: ['setTimeout'],
              message: 'Wait for the thing itself: until() of test/until.ts, or letPass() with its reason.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/formats/blocks.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    files: ['src/errors.ts', '*.config.ts', '*.js', '.dependency-cruiser.js'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'types/compiler': 'off' },
  },
  {
    // Programs whose packages the project does not install: the compiler does not see them.
    files: ['examples/*.js'],
    rules: { 'no-undef': 'off' },
  },
);
