// `gazette verify page.html --vkey`: the versions of records that the proofs in a saved page prove.
import { readFileSync } from 'node:fs';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { printable, printFields } from '../../../cli/io/say.ts';
import type { Io } from '../../../cli/io/io.ts';
import { isObject } from '../../../checks.ts';
import { type ProvedText, proveText } from '../mirror/evidence/proved-text.ts';
import { proofsIn } from '../mirror/evidence/saved-page.ts';
import { parseVerifierKey } from '../tlog/keys.ts';
import { parsePolicy } from '../tlog/policy.ts';
import { readPolicy } from './policy.ts';
import { cosignedText, type VerifyRegisterOptions } from './verify.ts';

/** @throws GazetteError `usage`, `invalid_proof`, `invalid_log_key`, `invalid_option` */
export function verifyPage(file: string, { vkey, state, ...options }: VerifyRegisterOptions, io: Io): void {
  if (vkey === undefined) throw new GazetteError('usage', 'a saved page needs --vkey, the key of the register’s log');
  if (state !== undefined)
    throw new GazetteError('usage', 'a saved page needs no --state: it says what was signed then');
  const key = parseVerifierKey(vkey);
  const policy = readPolicy(options);
  const parsed = policy === undefined ? null : parsePolicy(policy);
  const proofs = proofsIn(readFileSync(file));
  if (proofs.length === 0)
    throw new GazetteError(
      'invalid_proof',
      `${file} has no proof: save the page of a record of a signed register, or its proof, as a file of HTML or MHTML`,
    );
  const proved = proofs.map((text) => {
    try {
      return proveText(text, key, parsed);
    } catch (error) {
      if (!isGazetteError(error, 'invalid_proof')) throw error;
      throw new GazetteError('invalid_proof', `${file}: ${error.message}`, { cause: error, details: error.details });
    }
  });
  for (const one of proved) report(one, io);
  io.stdout.write(`what else ${file} shows was not compared\n`);
}

function report({ recordId, version, cause, change, size, origin, listed, ...said }: ProvedText, io: Io): void {
  const record = printable(recordId ?? `a record that the proof does not name (position ${said.position})`);
  io.stdout.write(`proved: version ${version} of ${record}: ${cause}, recorded at ${said.recorded_at}\n`);
  io.stdout.write(`signed: change ${change} of ${size} of ${origin}\n`);
  if (listed !== null) {
    io.stdout.write(`in the log of logs ${listed.name}\n`);
    for (const one of listed.cosigned) io.stdout.write(`${cosignedText(one)}\n`);
  }
  const { statement } = said;
  if (statement === undefined) {
    const why = 'the proof has no salt of it: who may not read it gets none, and a redaction erases it';
    io.stdout.write(`what it says is not proved: ${why}\n\n`);
    return;
  }
  if (!isObject(statement)) io.stdout.write('it says nothing\n');
  else printFields(io, [...fieldsOf(statement)]);
  io.stdout.write('\n');
}

/** The fields of a statement, and those of its data, as far as they have a value. */
function* fieldsOf({ data, ...core }: Readonly<Record<string, unknown>>): Generator<readonly [string, unknown]> {
  for (const field of Object.entries(core)) if (field[1] !== null) yield field;
  for (const [name, value] of Object.entries(data ?? {})) if (value !== null) yield [`data.${name}`, value];
}
