// A price on the command line.
import { GazetteError, quote } from '../../errors.ts';
import { type Money, priceIn } from '../../register/money.ts';

/** A price as people write it. @param what it is called @throws GazetteError `usage` for another text, or no money at all */
export function readPrice(what: string, text: string): Money {
  const price = priceIn(text);
  if (price !== null && price.amount > 0) return price;
  throw new GazetteError('usage', `${what} must be a price such as "2.00 EUR", got ${quote(text)}`);
}
