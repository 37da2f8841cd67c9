// What can be checked of the workflows without the service that runs them: that they are YAML, that what they run exists, and
// that only a release may write, once everything has passed; and the notes of a release.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sectionOf } from '../../.ci/changelog-section.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = '.github/workflows';

/** What is read of a workflow. */
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly { readonly run?: string; readonly uses?: string; readonly with?: object }[];
}

const WORKFLOWS = new Map(
  readdirSync(join(ROOT, FOLDER)).map((name) => [
    name,
    parse(readFileSync(join(ROOT, FOLDER, name), 'utf8'), { strict: true }) as Workflow,
  ]),
);
const jobs = [...WORKFLOWS].flatMap(([name, { jobs: own }]) =>
  Object.entries(own).map(([job, one]) => [`${name}: ${job}`, one] as const),
);
const commandsOf = ({ steps = [] }: Job): string[] => steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

describe('the workflows', () => {
  it('run commands and call workflows that there are', () => {
    const names = jobs.flatMap(([, job]) => [
      ...commandsOf(job).flatMap((command) => command.match(/\.ci\/[\w.-]+/g) ?? []),
      ...(job.uses === undefined ? [] : [job.uses]),
    ]);
    expect(new Set(names)).toEqual(new Set(['.ci/run', '.ci/changelog-section.ts', './.github/workflows/whole.yml']));
    expect(names.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it('fetch the whole history for .ci/run, which git may read', () => {
    const running = jobs.filter(([, job]) => commandsOf(job).some((command) => command.includes('.ci/run')));
    expect(running.map(([name]) => name).toSorted()).toEqual(['ci.yml: ci', 'whole.yml: whole']);
    for (const [name, job] of running) {
      const [checkout] = job.steps!;
      expect([name, checkout]).toEqual([name, { uses: 'actions/checkout@v4', with: { 'fetch-depth': 0 } }]);
      expect(commandsOf(job)[0]).toBe('git config --global --add safe.directory "$GITHUB_WORKSPACE"');
    }
  });

  it('run everything each night, and for a release before anything is published', () => {
    expect(Object.keys(WORKFLOWS.get('nightly.yml')!.on)).toContain('schedule');
    const { on, jobs: steps } = WORKFLOWS.get('release.yml')!;
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect([WORKFLOWS.get('nightly.yml')!.jobs.whole!.uses, steps.whole!.uses]).toEqual([
      './.github/workflows/whole.yml',
      './.github/workflows/whole.yml',
    ]);
    expect(commandsOf(WORKFLOWS.get('whole.yml')!.jobs.whole!).at(-1)).toBe('bash .ci/run --all');
    const needs = Object.entries(steps).map(([name, job]) => [name, [job.needs ?? []].flat()]);
    expect(Object.fromEntries(needs)).toEqual({
      ...{ notes: [], whole: ['notes'], package: ['whole'], image: ['whole'], release: ['package', 'image'] },
    });
    expect(commandsOf(steps.package!).at(-1)).toBe('npm publish --provenance --access public');
  });

  it('may read, and write only where a release is published', () => {
    for (const [name, { permissions }] of WORKFLOWS) expect([name, permissions]).toEqual([name, { contents: 'read' }]);
    const writing = jobs.flatMap(([name, { permissions = {} }]) =>
      Object.entries(permissions).flatMap(([what, may]) => (may === 'write' ? [`${name}: ${what}`] : [])),
    );
    expect(writing).toEqual([
      'release.yml: package: id-token',
      'release.yml: image: packages',
      'release.yml: release: contents',
    ]);
  });
});

describe('the notes of a release', () => {
  const CHANGELOG = [
    '# Changelog\n\n## [0.2.0] - unreleased\n\n- Soon.\n',
    '## [0.1.1] - 2026-02-03\n\n### Fixed\n\n- One.\n',
    '## [0.1.0] - 2026-01-02\n\n- All.\n\n[0.1.0]: https://example.org/0.1.0\n',
  ].join('\n');

  it('are the section of the version, without its heading and the links at the end', () => {
    expect(sectionOf(CHANGELOG, '0.1.1')).toBe('### Fixed\n\n- One.\n');
    expect(sectionOf(CHANGELOG, '0.1.0')).toBe('- All.\n');
  });

  it.each([
    ['9.9.9', CHANGELOG, 'CHANGELOG.md has no section [9.9.9]'],
    [
      '0.2.0',
      CHANGELOG,
      /must give the date of a release: ## \[0\.2\.0\] - YYYY-MM-DD, got ## \[0\.2\.0\] - unreleased/,
    ],
    ['0.1.0', '## [0.1.0] - 2026-01-02\n', 'CHANGELOG.md says nothing of 0.1.0'],
  ])('are refused for %s where there is none, no date or nothing to say', (version, changelog, message) => {
    expect(() => sectionOf(changelog, version)).toThrow(message);
  });

  it('can be written for the version of package.json once its section has a date', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
    expect(sectionOf(changelog.replace(`[${version}] - unreleased`, `[${version}] - 2026-01-01`), version)).not.toBe(
      '',
    );
  });
});
