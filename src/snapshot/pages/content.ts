// What the files of a register's folder share, besides what all its pages say.
import { type ArchivedRegister, definitionInTier, XML } from '../../archive/content.ts';
import { type Ending, type PageName, wholeFile } from '../../archive/layout.ts';
import { csv } from '../../formats/csv.ts';
import { registerSchema } from '../../formats/xml/xsd.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { dataPackage } from '../../templates/catalogues/data-package.ts';
import type { MonthCount } from '../../templates/parts/chart.ts';
import type { SearchIndex } from '../folder/manifest.ts';
import type { PageFormat } from './formats.ts';

/** What all files of a register's folder share. */
export interface SnapshotRegister extends ArchivedRegister {
  /** The extensions of a page's files, in the order of writing and display. */
  readonly endings: readonly Ending[];
  /** The public address of the snapshot, without a slash at its end. */
  readonly baseUrl: string;
  /** The media types of the files, by extension. */
  readonly mediaTypes: Readonly<Record<Ending, string>>;
  /** The extensions of the files that have all records. */
  readonly wholes: readonly Ending[];
  /** How many live records there are, and how many were published in which month, the newest first. */
  readonly total: number;
  readonly months: readonly MonthCount[];
  /** Whether each record has a line in the file that proves its page: then its title on the page leads to what was signed. */
  readonly isProved: boolean;
  /** The indexes of its search, as far as the page leads to it. Absent: it has none. */
  readonly search?: readonly SearchIndex[];
}

/** The bytes of the XML schema; null where no file is of that vocabulary. */
export function schemaOf(definition: RegisterDefinition, endings: readonly Ending[]): Uint8Array | null {
  return endings.includes(XML) ? new TextEncoder().encode(registerSchema(definition)) : null;
}

/**
 * The bytes of the data package of the CSV: of the file that has all records, or of the pages that together do; null where there is no
 * CSV, or another format has its name.
 *
 * @param walk the names of those pages
 */
export function dataPackageOf(
  register: Pick<SnapshotRegister, 'definition' | 'tier' | 'wholes'>,
  formats: readonly Pick<PageFormat, 'format'>[],
  walk: readonly PageName[],
): Uint8Array | null {
  const whole = register.wholes.find((ending) => ending.startsWith(csv.extension));
  if (whole === undefined && !formats.some(({ format }) => format === csv)) return null;
  const pages = walk.map((name) => `${name}.${csv.extension}`);
  const path = whole === undefined ? (pages.length === 1 ? pages[0]! : pages) : wholeFile(whole);
  const description = dataPackage(definitionInTier(register), { path, service: { licenceUrl: null } });
  return new TextEncoder().encode(`${JSON.stringify(description)}\n`);
}

/** The title of the list of corrected and withdrawn records. */
export function changesTitle({ title }: Pick<RegisterDefinition, 'title'>): string {
  return `${title}: corrected and withdrawn`;
}

/** The files of a page with these extensions, by name. */
export function fileNames(endings: Iterable<Ending>, name: PageName): readonly string[] {
  return Array.from(endings, (ending) => `${name}.${ending}`);
}
