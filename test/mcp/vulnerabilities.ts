// A catalogue in the shape of CISA's of known exploited vulnerabilities, made of a seed, and the answers to ten questions that people
// ask of it, computed from the file alone.
import { Random } from '../../fixtures/random.ts';

/** An entry, with the publisher's own names. */
export interface Vulnerability {
  readonly cveID: string;
  readonly vendorProject: string;
  readonly product: string;
  readonly vulnerabilityName: string;
  readonly dateAdded: string;
  readonly shortDescription: string;
  readonly requiredAction: string;
  readonly dueDate: string;
  readonly knownRansomwareCampaignUse: string;
  readonly notes: string;
  readonly cwes: readonly string[];
}

/** The file. */
export interface Catalogue {
  readonly title: string;
  readonly vulnerabilities: readonly Vulnerability[];
}

/** What the ten questions have to be answered with. */
export interface Expected {
  readonly microsoft: number;
  readonly commonestVendor: readonly [vendor: string, records: number];
  readonly addedInAugust: number;
  readonly ransomware: number;
  readonly log4ShellDue: string;
  readonly latestCiscoDue: string;
  /** The ids, sorted. */
  readonly cwe22: readonly string[];
  readonly perYear: Readonly<Record<string, number>>;
  /** The three earliest dates, sorted. */
  readonly earliestDue: readonly string[];
  readonly dueOf: ReadonlyMap<string, string>;
}

/** The answers, by plain loops over the file. */
export function expectedOf({ vulnerabilities: all }: Catalogue): Expected {
  const count = (test: (one: Vulnerability) => boolean): number => all.filter(test).length;
  const tally = (of: (one: Vulnerability) => string): [string, number][] =>
    [...Map.groupBy(all, of)].map(([value, group]) => [value, group.length]);
  const dueDates = (test: (one: Vulnerability) => boolean): string[] =>
    all
      .filter(test)
      .map(({ dueDate }) => dueDate)
      .sort();
  return {
    microsoft: count(({ vendorProject }) => vendorProject === 'Microsoft'),
    commonestVendor: tally(({ vendorProject }) => vendorProject).sort((a, b) => b[1] - a[1])[0]!,
    addedInAugust: count(({ dateAdded }) => dateAdded.startsWith('2025-08')),
    ransomware: count(({ knownRansomwareCampaignUse: use }) => use === 'Known'),
    log4ShellDue: all.find(({ cveID }) => cveID === 'CVE-2021-44228')!.dueDate,
    latestCiscoDue: dueDates(({ vendorProject }) => vendorProject === 'Cisco').at(-1)!,
    cwe22: all
      .filter(({ cwes }) => cwes.includes('CWE-22'))
      .map(({ cveID }) => `kev:${cveID}`)
      .sort(),
    perYear: Object.fromEntries(tally(({ dateAdded }) => dateAdded.slice(0, 4))),
    earliestDue: dueDates(() => true).slice(0, 3),
    dueOf: new Map(all.map(({ cveID, dueDate }) => [`kev:${cveID}`, dueDate])),
  };
}

const VENDORS: readonly (readonly [name: string, weight: number])[] = [
  ...([
    ['Microsoft', 340],
    ['Apple', 84],
    ['Cisco', 78],
    ['Adobe', 74],
    ['Google', 66],
    ['Oracle', 40],
  ] as const),
  ...Array.from({ length: 80 }, (_, index) => [`Vendor ${index}`, 9] as const),
];
const FLAWS = ['Path Traversal', 'Use-After-Free', 'Privilege Escalation', 'Command Injection', 'Out-of-Bounds Write'];

/** A catalogue of so many entries, the newest first, as the publisher orders it. */
export function makeCatalogue(count: number): Catalogue {
  const random = new Random(25);
  const vendors = VENDORS.flatMap(([name, weight]) => Array.from({ length: weight }, () => name));
  const first = Date.UTC(2021, 10, 3);
  const step = (Date.UTC(2025, 7, 25) - first) / (count - 1);
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const entries = Array.from({ length: count }, (_, index): Vulnerability => {
    const vendor = random.pick(vendors);
    const product = `Product ${random.integer(1, 40)}`;
    const flaw = random.pick(FLAWS);
    const added = first + index * step;
    // The first entries were due before the catalogue began.
    const due = index < 3 ? Date.UTC(2020, index * 3, 24) : added + 86_400_000 * random.integer(7, 180);
    return {
      cveID: `CVE-${2021 + (index % 5)}-${10_000 + index}`,
      vendorProject: vendor,
      product,
      vulnerabilityName: `${vendor} ${product} ${flaw} Vulnerability`,
      dateAdded: dayOf(added),
      shortDescription: `${vendor} ${product} contains a flaw (${flaw.toLowerCase()}) that allows an attacker to execute code.`,
      requiredAction: 'Apply mitigations per vendor instructions or discontinue use of the product.',
      dueDate: dayOf(due),
      knownRansomwareCampaignUse: random.integer(1, 5) === 1 ? 'Known' : 'Unknown',
      notes: `https://nvd.example/vuln/detail/${index}`,
      cwes: [...new Set([`CWE-${random.integer(15, 40)}`, `CWE-${random.integer(60, 90)}`])].slice(
        0,
        random.integer(0, 2),
      ),
    };
  });
  const log4j = {
    cveID: 'CVE-2021-44228',
    vendorProject: 'Apache',
    product: 'Log4j2',
    vulnerabilityName: 'Apache Log4j2 Remote Code Execution Vulnerability',
    shortDescription: 'Apache Log4j2 does not protect against endpoints that an attacker controls.',
    dueDate: '2021-12-24',
  };
  entries[200] = { ...entries[200]!, ...log4j };
  // Another one of the same product, which is newer.
  const other = {
    cveID: 'CVE-2021-45046',
    vulnerabilityName: 'Apache Log4j2 Deserialization of Untrusted Data Vulnerability',
  };
  entries[500] = { ...entries[500]!, ...log4j, ...other, dueDate: '2023-05-22' };
  return { title: 'Known exploited vulnerabilities', vulnerabilities: entries.toReversed() };
}
