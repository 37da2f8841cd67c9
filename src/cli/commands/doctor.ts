// `gazette doctor`: checks a store, its settings and what others see of it, and says what is wrong. After a restore it has the store
// begin new logs first.
import { GazetteError } from '../../errors.ts';
import { checkBaseUrl } from '../../export/page-links.ts';
import { examine } from '../../operate/doctor.ts';
import { lookFromOutside } from '../../operate/world.ts';
import { counted } from '../../register/counted.ts';
import type { Finding, InspectedStore, NewLog } from '../../stores/contract/inspection.ts';
import { type Undescribed, command, type Configuration, flag, JSON_OUTPUT, type ValuesOf } from '../command.ts';
import { confirm } from '../io/confirm.ts';
import { Progress } from '../io/progress.ts';
import { printJson, say } from '../io/say.ts';
import { BASE_URL } from '../options/publication.ts';
import { withoutPassword } from '../io/without-password.ts';
import { isPostgres, pathOf, STORE, withStore } from '../options/store.ts';
import { secretBox } from '../process/sending.ts';
import type { Io } from '../io/io.ts';
import { EXAMINED } from '../../wings/examined.ts';

const OPTIONS = {
  store: STORE,
  baseUrl: BASE_URL,
  restored: flag(
    'the store was restored: first give every register a new log, so that change numbers of before are refused',
  ),
  yes: flag('do not ask before --restored'),
  json: JSON_OUTPUT,
};

type DoctorOptions = ValuesOf<typeof OPTIONS>;

/** How many findings are listed: a store with more of them has one cause, and memory an end. */
const MOST_FINDINGS = 1000;

/** `gazette doctor`. */
export const doctorCommand: Undescribed = command({
  arguments: [],
  options: OPTIONS,
  async run(_, options, { io, signal, configuration }) {
    const isRestored = options.restored === true;
    const examined = async (store: InspectedStore): Promise<number> => {
      const begun = isRestored ? await beginNewLogs(store, options, io) : [];
      return check(store, begun, { ...options, configuration }, io, signal);
    };
    const found = await withStore(options, io, examined, { readOnly: !isRestored });
    if (found === 0) return;
    const name = withoutPassword(options.store);
    throw new GazetteError('invalid_store', `the store ${name} has ${counted(found, 'finding')}`);
  },
});

/** Asks, and says what it did. @throws GazetteError `aborted` */
async function beginNewLogs(
  store: InspectedStore,
  { store: url, yes }: DoctorOptions,
  io: Io,
): Promise<readonly NewLog[]> {
  const registers = counted(await store.catalogue.count(), 'register');
  const question = `Give ${registers} of ${withoutPassword(url)} new logs? Everybody who follows their changes has to start over, each time.`;
  if (yes !== true && !(await confirm(io, question))) throw new GazetteError('aborted', 'nothing was changed');
  const begun = await store.beginNewLogs({ at: new Date().toISOString() });
  const which = counted(begun.length, 'register');
  say(io, `gave ${which} new logs: change numbers of before are refused (log_restarted); ids and positions stay`);
  const unused = begun.filter(({ wasUnused }) => wasUnused).map(({ feedId }) => feedId);
  if (unused.length > 0) {
    say(io, `new logs had been given before, and nothing was written to them since: ${unused.join(', ')}`);
  }
  return begun;
}

/** Prints what it finds. @returns how many findings there are */
async function check(
  store: InspectedStore,
  begun: readonly NewLog[],
  options: DoctorOptions & { readonly configuration: Configuration | null },
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const { store: url, json } = options;
  const around = await checkAround(store, options, io, signal);
  const findings: Finding[] = [...around.findings];
  const notes: string[] = [...around.notes];
  let found = findings.length;
  let versions = 0;
  const progress = new Progress(io.stderr, null, undefined, 'checking', 'version');
  try {
    const file = isPostgres(url) ? null : pathOf(url);
    for await (const part of examine(store, { file, box: () => secretBox(io), signal, others: EXAMINED })) {
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
  const logs = begun.map(({ feedId, before, log }) => ({ feed_id: feedId, before, log }));
  if (json === true) printJson(io, { found, findings: findings.map(jsonOf), notes, versions, new_logs: logs });
  else findings.map(lineOf).forEach((line) => io.stdout.write(`${line}\n`));
  if (json !== true)
    notes.forEach((note) => {
      say(io, note);
    });
  if (json !== true && found === 0)
    say(io, `${withoutPassword(url)} is whole: checked ${counted(versions, 'version')}`);
  return found;
}

/** What is wrong outside of the store: settings, and what others see. */
async function checkAround(
  store: InspectedStore,
  { configuration, baseUrl }: DoctorOptions & { readonly configuration: Configuration | null },
  io: Io,
  signal: AbortSignal,
): Promise<{ readonly findings: readonly Finding[]; readonly notes: readonly string[] }> {
  // Loaded only here: they load the options of the service.
  const { checkSettings, compareRegisters } = await import('../process/settings-check.ts');
  const settings = await checkSettings(configuration, io);
  const compared = configuration === null ? null : await compareRegisters(configuration, store);
  const seen = baseUrl === undefined ? [] : await seenFromOutside(store, checkBaseUrl(baseUrl), signal);
  const problems = [...settings, ...(compared?.findings ?? []), ...seen];
  return { findings: problems.map((problem) => ({ ...NOWHERE, problem })), notes: compared?.notes ?? [] };
}

async function seenFromOutside(
  store: InspectedStore,
  baseUrl: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const feedIds: string[] = [];
  for await (const entries of store.catalogue.walk()) feedIds.push(...entries.map(({ definition }) => definition.id));
  return lookFromOutside({ baseUrl, feedIds, signal });
}

/** A finding that is about no row. */
const NOWHERE = { table: null, row: null, feedId: null, recordId: null, version: null } as const;

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
