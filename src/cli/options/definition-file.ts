// A register's definition from a JSON file.
import { readFile } from 'node:fs/promises';
import { GazetteError, quote } from '../../errors.ts';
import { systemReason } from '../../files/output-failed.ts';
import { PositionLog, formatPosition } from '../../import/readers/json-position.ts';
import { parseExactly } from '../../import/readers/json-value.ts';
import { defineFrom } from '../../operate/registers.ts';
import type { DefinitionInput } from '../../register/definition.ts';
import type { RegisterDefinition } from '../../register/record.ts';

/** A definition in a file: JSON with unchecked members. */
export interface DefinitionFile {
  readonly value: unknown;
  /** The name of the file, for messages. */
  readonly name: string;
}

/**
 * The definition in a file, with the command line's members replacing the file's.
 *
 * @param changes members that replace the file's
 * @throws GazetteError the errors of {@link readDefinitionFile}; `invalid_definition` naming the file, the member and
 *   what it should be.
 */
export async function readDefinition(path: string, changes: Partial<DefinitionInput>): Promise<RegisterDefinition> {
  const { value, name } = await readDefinitionFile(path);
  return defineFrom(value, name, changes);
}

/**
 * The content of a file, unchecked.
 *
 * @throws GazetteError `invalid_input` when the file cannot be read or is not JSON (with the position),
 *   `invalid_definition` for a duplicate member.
 */
export async function readDefinitionFile(path: string): Promise<DefinitionFile> {
  const refuse = (reason: string): GazetteError => {
    return new GazetteError('invalid_definition', `${path}: the definition ${reason}`);
  };
  return { value: parseJson(path, await readText(path), refuse), name: path };
}

/**
 * The value of a JSON file.
 *
 * @param refuse makes the error for a duplicate member
 * @throws GazetteError `invalid_input` with the position when the text is not JSON
 */
export function parseJson(path: string, text: string, refuse: (reason: string) => GazetteError): unknown {
  const value = parse(path, text);
  // JSON.parse would silently use the last of two members with the same name.
  parseExactly(text, refuse);
  return value;
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    throw new GazetteError('invalid_input', `${path} cannot be read: ${systemReason(cause)}`, {
      cause,
      details: { input: path },
    });
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
      `${path}: ${formatPosition(position)}: not valid JSON, ${expected ?? 'expected one document'}`,
      { cause, details: { input: path, ...position } },
    );
  }
}

/** `NAME,YEAR`, the parts of permanent ids. @throws GazetteError `usage` */
export function readAuthority(text: string): Pick<DefinitionInput, 'authority' | 'year'> {
  const match = /^([^,\s]+),(\d{4})$/.exec(text);
  if (match === null) {
    throw new GazetteError('usage', `--authority must be NAME,YEAR such as example.org,2026, got ${quote(text)}`);
  }
  return { authority: match[1]!, year: Number(match[2]) };
}
