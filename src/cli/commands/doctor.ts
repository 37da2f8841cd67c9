// `gazette doctor`: checks a store and what lies around it, and says what is wrong.
import type { Command } from 'commander';
import { GazetteError } from '../../errors.ts';
import { examine } from '../../operate/doctor.ts';
import { counted } from '../../register/counted.ts';
import type { Finding, InspectedStore } from '../../stores/contract/inspection.ts';
import { Progress } from '../io/progress.ts';
import { printJson, say } from '../io/say.ts';
import { isPostgres, pathOf, storeOption, type StoreOptions, withoutPassword, withStore } from '../options/store.ts';
import { secretBox } from '../process/sending.ts';

interface DoctorOptions extends StoreOptions {
  readonly json?: true;
}

/** How many findings are listed: a store with more of them has one cause, and memory an end. */
const MOST_FINDINGS = 1000;

/** Adds `gazette doctor` to the program. */
export function addDoctor(program: Command, signal: AbortSignal): void {
  program
    .command('doctor')
    .description('Check a store: every row, its indexes, the modes of its files, and what interrupted commands left.')
    .addOption(storeOption())
    .option('--json', 'print the result as JSON')
    .action(async (options: DoctorOptions) => {
      const found = await withStore(options, (store) => check(store, options, signal), { readOnly: true });
      if (found === 0) return;
      const name = withoutPassword(options.store);
      throw new GazetteError('invalid_store', `the store ${name} has ${counted(found, 'finding')}`);
    });
}

/** Prints what it finds. @returns how many findings there are */
async function check(store: InspectedStore, { store: url, json }: DoctorOptions, signal: AbortSignal): Promise<number> {
  const findings: Finding[] = [];
  const notes: string[] = [];
  let found = 0;
  let versions = 0;
  const progress = new Progress(process.stderr, null, undefined, 'checking', 'version');
  try {
    const file = isPostgres(url) ? null : pathOf(url);
    for await (const part of examine(store, { file, box: secretBox, signal })) {
      ({ versions } = part);
      found += part.findings.length;
      findings.push(...part.findings.slice(0, MOST_FINDINGS - findings.length));
      notes.push(...part.notes);
      progress.update({ records: versions, bytesRead: 0, of: part.ofVersions });
    }
  } finally {
    progress.clear();
  }
  // schemas/doctor.schema.json
  if (json === true) printJson({ found, findings: findings.map(jsonOf), notes, versions });
  else findings.map(lineOf).forEach((line) => process.stdout.write(`${line}\n`));
  if (json !== true) notes.forEach(say);
  if (json !== true && found === 0) say(`${withoutPassword(url)} is whole: checked ${counted(versions, 'version')}`);
  return found;
}

function jsonOf({ table, row, feedId, recordId, version, problem }: Finding): object {
  return { table, row, feed_id: feedId, record_id: recordId, version, problem };
}

/** @example 'versions, entry 4294967297 (record permits:1, version 1): cause must be first_observed, got "x"' */
function lineOf({ table, row, feedId, recordId, version, problem }: Finding): string {
  const place = [table, row].filter((part) => part !== null).join(', ');
  const subject = recordId !== null ? `record ${recordId}` : feedId === null ? null : `register ${feedId}`;
  const which = [subject, version === null ? null : `version ${version}`].filter((part) => part !== null).join(', ');
  const head = `${place}${which === '' ? '' : ` (${which})`}`.trim();
  return head === '' ? problem : `${head}: ${problem}`;
}
