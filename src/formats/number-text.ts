// Numbers as String() writes them, in a fraction of its time: what registers hold most, counts and amounts with two
// decimals, is put together from texts of three digits made once. Everything else is left to String().

const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'));
const UP_TO_THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, n) => String(n));

/** The decimals of so many hundredths, without zeros at the end. */
const DECIMALS: readonly string[] = Array.from({ length: 100 }, (_, n) =>
  n === 0 ? '' : (n / 100).toString().slice(1),
);

/** Below this an amount in hundredths has few enough digits: every decimal of up to 15 digits is a double of its own. */
const MOST_HUNDREDTHS = 100_000_000;

/**
 * `String(value)`.
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
