// Downloads a whole register, or all records of a search, in one answer, as it comes.
import { GazetteError } from '../errors.ts';
import { addQuery, addressOf, type PageOptions } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { checkIsFile } from './export-pages.ts';
import { goingOn, placeOf } from './going-on.ts';
import type { ChosenRecord } from './records.ts';
import { Requester, where } from './requester.ts';

/** Options of {@link wholeRegister}. Nothing of it is kept in a cache, and it may be of any length. */
export interface WholeRegisterOptions
  extends Omit<ClientOptions, 'cache' | 'maxBodyBytes'>, Pick<PageOptions, 'filter' | 'fields'> {}

/** A register on its way. */
export interface WholeRegister {
  /** Where it came from. */
  readonly url: URL;
  /** The answer's header fields. */
  readonly headers: Headers;
  /**
   * The file, decompressed. If the answer breaks off it goes on where it was, as long as the register has not changed; otherwise it fails
   * with `request_failed`, or with `aborted`: what came until then is not the whole, and is thrown away.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** The records of a register in NDJSON, read from the body: one or the other. @throws GazetteError also `invalid_answer` */
  readonly records: () => AsyncGenerator<ChosenRecord, void, undefined>;
}

/**
 * A whole register, newest records first. Where the service sends as many as it may, it waits as long as the service asks.
 *
 * @param url URL of the file: `https://example.org/api/v1/feeds/permits/register.csv`
 * @throws GazetteError `invalid_option`, `foreign_address`, `invalid_answer`, `request_refused`, `request_failed`, `aborted`
 * @example
 * const { body } = await wholeRegister(`${feed}/register.csv`, { key });
 * await pipeline(Readable.fromWeb(body), createWriteStream('permits.csv'));
 * @example
 * const { records } = await wholeRegister(`${feed}/register.ndjson`, { key, filter: { q: 'asbestos' } });
 * for await (const { id, title } of records()) console.log(id, title);
 */
export async function wholeRegister(url: string | URL, options: WholeRegisterOptions = {}): Promise<WholeRegister> {
  const address = addressOf(url);
  const requester = new Requester(address, options);
  addQuery(address, options);
  const answer = await requester.open(address, '*/*');
  try {
    checkIsFile(answer);
  } catch (error) {
    await answer.body.cancel();
    throw error;
  }
  const place = placeOf(answer);
  const body = place === null ? answer.body : goingOn(requester, place, answer.body);
  return { ...answer, body, records: () => recordsIn(body, address) };
}

async function* recordsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  address: URL,
): AsyncGenerator<ChosenRecord, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield recordIn(line, address);
  }
  if (rest !== '') yield recordIn(rest, address);
}

function recordIn(line: string, address: URL): ChosenRecord {
  try {
    const record = JSON.parse(line) as Partial<ChosenRecord> | null;
    if (typeof record?.id === 'string') return record as ChosenRecord;
  } catch {
    // It is not JSON.
  }
  throw new GazetteError('invalid_answer', `${where(address)} must answer a record on each line`);
}
