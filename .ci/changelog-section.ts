// The notes of a release: `node .ci/changelog-section.ts v0.1.0` prints what CHANGELOG.md says of that version. A tag that is not
// the version of package.json, or whose section has no date yet, is an error, before anything is published.
import { readFileSync } from 'node:fs';

/**
 * What a changelog says of a version, without the heading.
 *
 * @throws Error where it has no section for it, no date in its heading, or nothing to say
 */
export function sectionOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section [${version}]`);
  const [heading, ...lines] = section.split('\n');
  if (!/^\[\S+\] - \d{4}-\d\d-\d\d$/.test(heading!))
    throw new Error(`CHANGELOG.md must give the date of a release: ## [${version}] - YYYY-MM-DD, got ## ${heading!}`);
  // The links of the changelog are at its end.
  const text = lines
    .join('\n')
    .replace(/^\[[^\]]+\]: \S+$/gm, '')
    .trim();
  if (text === '') throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return `${text}\n`;
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const tag = process.argv[2];
  if (tag !== `v${version}`) throw new Error(`the tag of version ${version} is v${version}, got ${String(tag)}`);
  process.stdout.write(sectionOf(readFileSync('CHANGELOG.md', 'utf8'), version));
}
