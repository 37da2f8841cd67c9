// A register's definition from a JSON file, with what the command line says of it laid over.
import { readFile } from 'node:fs/promises';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { PositionLog, formatPosition } from '../../import/readers/json-position.ts';
import { parseExactly } from '../../import/readers/json-value.ts';
import { type DefinitionInput, defineRegister } from '../../register/definition.ts';
import type { RegisterDefinition } from '../../register/record.ts';

/**
 * The definition in a file.
 *
 * @param changes members that replace the file's
 * @param defaults members for what the file leaves out
 * @throws GazetteError `invalid_input` when the file cannot be read or is no JSON (with the position),
 *   `invalid_definition` naming the file, the member and what it should be, also for a member that is named twice.
 */
export async function readDefinition(
  path: string,
  changes: Partial<DefinitionInput>,
  defaults: Partial<DefinitionInput> = {},
): Promise<RegisterDefinition> {
  const text = await readText(path);
  const given = parse(path, text);
  try {
    // JSON.parse would let the last of two members of one name win in silence.
    parseExactly(text, (reason) => new GazetteError('invalid_definition', `the definition ${reason}`));
    // What is no object is refused by defineRegister, in its words.
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    return defineRegister((isObject ? { ...defaults, ...given, ...changes } : given) as DefinitionInput);
  } catch (error) {
    throw isGazetteError(error, 'invalid_definition')
      ? new GazetteError(error.code, `${path}: ${error.message}`, { cause: error, details: error.details })
      : error;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GazetteError('invalid_input', `${path} cannot be read: ${reason}`, { cause, details: { input: path } });
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const log = new PositionLog(0);
    log.keep(text);
    const { position, expected } = log.locate(true);
    throw new GazetteError(
      'invalid_input',
      `${path}: ${formatPosition(position)}: no valid JSON, ${expected ?? 'expected one document'}`,
      { cause, details: { input: path, ...position } },
    );
  }
}

/** `NAME,YEAR`, what permanent ids are made of. @throws GazetteError `usage` */
export function readAuthority(text: string): Pick<DefinitionInput, 'authority' | 'year'> {
  const match = /^([^,\s]+),(\d{4})$/.exec(text);
  if (match === null) {
    throw new GazetteError('usage', `--authority must be NAME,YEAR such as example.org,2026, got ${quote(text)}`);
  }
  return { authority: match[1]!, year: Number(match[2]) };
}
