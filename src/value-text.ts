// Any value as a text, for messages of errors.

// The built-in type is incomplete: toJSON may return undefined, and then the result is undefined.
const toJson: (value: unknown) => string | undefined = JSON.stringify;

/** An object as JSON; null where JSON cannot represent it. */
export function jsonOrNull(value: object): string | null {
  try {
    return toJson(value) ?? null;
  } catch {
    // A big integer, a circular reference, a toJSON that throws: only its type is shown.
    return null;
  }
}

/** A value as a text; of an object only its type. */
export function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value);
}
