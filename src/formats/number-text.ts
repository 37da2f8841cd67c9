// Numbers as String() writes them, in a fraction of its time. The usual numbers of registers, counts and amounts with
// two decimals, are joined from precomputed texts of three digits. Everything else is left to String().

const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
const UP_TO_THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, n) => String(n));

/** The decimals for each number of hundredths, without trailing zeros. */
const DECIMALS: readonly string[] = Array.from({ length: 100 }, (_, n) =>
  n === 0 ? '' : (n / 100).toString().slice(1),
);

/** Below this, an amount in hundredths has at most 15 digits: each such decimal has a distinct double. */
const MOST_HUNDREDTHS = 100_000_000;

/**
 * The same text as `String(value)`, but faster.
 *
 * @example numberText(1234.5) // '1234.5'
 */
export function numberText(value: number): string {
  const hundredths = Math.round(value * 100);
  // A number that is the double nearest to a decimal with two places is written as that decimal (ECMA-262 6.1.6.1.20).
  if (hundredths > 0 && hundredths < MOST_HUNDREDTHS && hundredths / 100 === value) {
    const whole = Math.floor(hundredths / 100);
    return countText(whole) + DECIMALS[hundredths - whole * 100]!;
  }
  return String(value);
}

function countText(count: number): string {
  if (count < 1000) return UP_TO_THREE_DIGITS[count]!;
  const thousands = Math.floor(count / 1000);
  return UP_TO_THREE_DIGITS[thousands]! + THREE_DIGITS[count - thousands * 1000]!;
}
