// Tries a guess on the whole file: everything that an import does before it asks its store.
import type { GazetteError } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { type Order, OrderFinder } from '../../register/sources/order.ts';
import { duplicateId } from '../duplicate-id.ts';
import { IdSet } from '../../register/sources/id-set.ts';
import type { FoundField } from '../mapping/columns.ts';
import { missingNote } from '../mapping/hints.ts';
import { RecordMap } from '../mapping/record-map.ts';
import { openRecords } from '../opened-records.ts';
import type { RawRecord, RecordReader } from '../readers/raw-record.ts';
import type { GuessOptions, ImportGuess } from './import-guess.ts';

/** The number of records that a guess shows as they would be published. */
const SHOWN_RECORDS = 3;

/** What came of it. */
export interface Tried extends Pick<ImportGuess, 'definition' | 'order' | 'records' | 'refused' | 'first' | 'remarks'> {
  readonly fields: readonly FoundField[];
  /** The core fields that have the column of their name. */
  readonly core: readonly string[];
  /** Those of them for which too many records were refused: the column means something else. */
  readonly misfits: readonly string[];
}

/** The share of records whose value for a core field may be wrong; where more are, it is not meant. */
const FAULTS = 0.1;

/** Does what an import does before it commits. */
export async function tryImport(reader: RecordReader, options: GuessOptions, observedAt: string): Promise<Tried> {
  const {
    feedId,
    key,
    ignore = [],
    missing = [],
    mapping = [],
    types = new Map(),
    signal,
    dateFormat,
    decimalComma = false,
  } = options;
  let records = 0;
  let refused = 0;
  const refusal: { first?: GazetteError } = {};
  let lastRefused = 0;
  const faults = new Map<unknown, number>();
  const opened = await openRecords(reader, {
    constants: { id: feedId, title: feedId, created_at: observedAt },
    findsFields: true,
    types,
    observedAt,
    mapping,
    // The register that will have the records has a secret of its own: their keys will be others.
    ...(key === undefined ? {} : { rowSecret: null }),
    ignore,
    decimalComma,
    missing,
    onRefused: ({ error }) => {
      refused++;
      faults.set(error.details.field, (faults.get(error.details.field) ?? 0) + 1);
      refusal.first ??= error;
      lastRefused = records;
    },
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(signal === undefined ? {} : { signal }),
  });
  const dates = new OrderFinder();
  const ids = new IdSet();
  const kept: RawRecord[] = [];
  for await (const batch of opened.batches()) {
    for (const raw of batch.records) {
      records++;
      try {
        const statement = opened.map.toStatement(raw);
        const earlier = ids.add(statement.id, raw.at);
        if (earlier !== null) throw duplicateId(statement.id, reader, raw.at, earlier);
        dates.add(statement);
        opened.map.learn();
        if (kept.length < SHOWN_RECORDS) kept.push(raw);
      } catch (error) {
        await opened.refuse(raw.at, error, raw.value);
      }
    }
  }
  const { plan } = opened;
  const settled = plan.settled();
  const map = new RecordMap(settled);
  const { order, remarks } = orderOf(dates, options.order);
  const refusals =
    refusal.first === undefined
      ? []
      : [`an import would refuse ${refused} of ${counted(records, 'record')}; the first: ${refusal.first.message}`];
  const isSaid = refusal.first?.message.includes('--skip-invalid') === true;
  if (refused === 1 && refused < records && lastRefused === records && !isSaid) {
    refusals.push('that is the last one, and may hold totals: --skip-invalid leaves it out');
  }
  const words = missingNote(opened.map.notes.missing);
  const first = kept.map((raw) => map.toRecord(raw, null));
  const { definition } = settled;
  const core = CORE_FIELDS.map(({ name }) => name).filter((name) => plan.isCore(name));
  const misfits = core.filter((name) => (faults.get(name) ?? 0) > FAULTS * records);
  const fields = plan.found() ?? [];
  return {
    fields,
    core,
    misfits,
    definition,
    order,
    records,
    refused,
    first,
    remarks: [...refusals, ...(words === null ? [] : [words]), ...remarks],
  };
}

function orderOf(dates: OrderFinder, given: Order | undefined): Pick<Tried, 'order' | 'remarks'> {
  if (given !== undefined) return { order: given, remarks: [] };
  const { direction, found } = dates;
  if (direction !== null) return { order: direction, remarks: [] };
  return found === 'both-ways'
    ? {
        order: 'by-date',
        remarks: ['the dates run both ways: the file is sorted by date, unless you say another --order'],
      }
    : {
        order: 'oldest-first',
        remarks: [
          'no dates show which record is the newest: the first is taken to be the oldest, unless you say another --order',
        ],
      };
}
