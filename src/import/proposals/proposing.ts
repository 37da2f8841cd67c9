// Keeps a staged import as a proposal: the records that it would write, and what it says of itself.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import type { NewProposal, ProposedRecord, ProposedSettings } from '../../stores/contract/imports/proposals.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';
import { canonicalIn } from '../../stores/rows/prepare.ts';
import type { ImportReport } from './report.ts';

/** What is proposed. */
export interface Proposed {
  readonly store: RegisterStore;
  readonly hold: HeldRegister;
  /** The number of its import. */
  readonly number: number;
  /** What it writes besides records; or says it when all records were kept. */
  readonly settings: ProposedSettings | (() => Promise<ProposedSettings>);
  /** Called when all records were kept. */
  readonly report: () => ImportReport | Promise<ImportReport>;
  /** The register's last change when the records were compared. */
  readonly change: number;
  readonly unchanged: Uint8Array;
  /** In the order in which they are written, each batch of one kind: last those that are withdrawn. */
  readonly records: Iterable<readonly ProposedRecord[]> | AsyncIterable<readonly ProposedRecord[]>;
  readonly signal?: AbortSignal | undefined;
}

/** How the digest tells what is set by hand from what is written whatever the answer. */
const MARKS = { kept: '=', asked: '?' } as const;

/** Keeps the records, and gives what is to be said of them at the end. */
export async function keepProposal(proposed: Proposed): Promise<Omit<NewProposal, 'fileDigest'>> {
  const { store, hold, number, change, unchanged, signal } = proposed;
  const digest = createHash('sha256');
  for await (const records of proposed.records) {
    throwIfAborted(signal);
    for (const { id, record, byHand } of records) {
      digest.update(
        `\n${byHand === undefined ? '' : MARKS[byHand]}${record === null ? `-${id}` : canonicalIn(record)}`,
      );
    }
    await hold.write((under) => store.imports.proposals.keep(number, records, under));
    await nextTurn();
  }
  const settings = typeof proposed.settings === 'function' ? await proposed.settings() : proposed.settings;
  digest.update(`\n${canonicalJson(settings as unknown as JsonValue)}`);
  const report = await proposed.report();
  const { counts } = report;
  return { digest: digest.digest(), change, settings, report: JSON.stringify(report), unchanged, counts };
}
