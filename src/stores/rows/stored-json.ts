// JSON that a store writes itself. Where it is not JSON, the store is damaged.
import { GazetteError } from '../../errors.ts';

/** A value as a store keeps it; null for null. */
export function jsonText(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** The value of a stored text. @throws GazetteError `invalid_store` for a text that is not JSON */
export function storedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The cause's message may contain a part of the text, and nobody reports records.
    throw new GazetteError(
      'invalid_store',
      'the store is damaged: a value that should be JSON is not; gazette doctor names its row',
      { cause },
    );
  }
}
