// Lint rules: type-aware, with no-floating-promises above all (a lost promise is a lost error).
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    'dist/',
    'node_modules/',
    'bench/node_modules/',
    'bench/results/',
    'test/conformance/node_modules/',
    'test/package/node_modules/',
    'test/readme/.blocks-*',
  ]),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js', '.dependency-cruiser.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Index loops over strings and buffers are the writers' bread; a cast would only hide the check for undefined.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // An async method that has nothing to wait for yet still has to answer the interface's promise.
      '@typescript-eslint/require-await': 'off',
      'no-control-regex': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'No default exports: one name for one thing.' },
        { selector: "ClassDeclaration[superClass.name='Error']", message: 'GazetteError is the only error class.' },
      ],
    },
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
      'src/webhooks/receive/verify-web.ts',
      'src/errors.ts',
      'src/problem.ts',
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
    files: ['src/mirror/**', 'src/operate/**', 'src/views/**'],
    rules: { 'no-restricted-globals': ['error', 'process', 'console'] },
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
  },
);
