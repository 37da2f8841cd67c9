// Two assertions that node:assert does not have in every Node version that gazette supports.
import assert from 'node:assert/strict';

/**
 * Asserts that an object has these members with these values; it may have others. Nested objects are compared in the
 * same way, arrays element by element, everything else like `deepEqual`.
 */
export function matches(actual: unknown, expected: unknown): void {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) assert.fail(`an array was expected, got ${typeof actual}`);
    assert.equal(actual.length, expected.length);
    for (const [index, element] of expected.entries()) matches(actual[index], element);
  } else if (isPlainObject(expected)) {
    if (typeof actual !== 'object' || actual === null) assert.deepEqual(actual, expected);
    for (const [name, value] of Object.entries(expected)) {
      matches((actual as Readonly<Record<string, unknown>>)[name], value);
    }
  } else assert.deepEqual(actual, expected);
}

/** Asserts that a promise, or the result of a function, rejects with an error that {@link matches}. */
export async function rejects(work: Promise<unknown> | (() => Promise<unknown>), expected: object): Promise<void> {
  let value: unknown;
  try {
    value = await (typeof work === 'function' ? work() : work);
  } catch (error) {
    matches(error, expected);
    return;
  }
  assert.fail(`it must be rejected with ${JSON.stringify(expected)}, and gave ${JSON.stringify(value)}`);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
