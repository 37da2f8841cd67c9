// The prices of a register as a schema: for definition files, and for definitions in answers.
import { z } from 'zod';
import { isTokenAmount, TOKEN_AMOUNTS } from '../../money.ts';
import { DEFINITION_PATTERNS, MOST_CHAIN_PRICES } from '../definition.ts';

const { currency, network, address, contract } = DEFINITION_PATTERNS;

const amount = z.int().min(1);

/** An amount of a token on chain. */
export const tokenAmount: z.ZodString = z.string().regex(TOKEN_AMOUNTS.pattern).refine(isTokenAmount);

const chainPrice = z.strictObject({
  network: z.string().regex(network).meta({ description: 'CAIP-2, such as eip155:8453.' }),
  asset: z.string().regex(address).meta({ description: 'The address of the asset.' }),
  amount: tokenAmount.meta({
    description: 'In the smallest unit of the asset, as digits, below 2^256.',
  }),
  pay_to: z.string().regex(address).meta({ description: 'The address that is paid.' }),
  name: z.string().regex(contract).meta({ description: 'The name of the asset’s contract (EIP-712).' }),
  version: z.string().regex(contract).meta({ description: 'The version of the asset’s contract (EIP-712).' }),
});

/** What records cost one by one. */
export const pricesSchema: z.ZodObject = z.strictObject({
  currency: z.string().regex(currency).meta({ description: 'A code of ISO 4217 such as EUR.' }),
  per_record: amount.meta({ description: 'For a record in one content version, in the smallest unit (cents).' }),
  x402: z
    .array(chainPrice)
    .min(1)
    .max(MOST_CHAIN_PRICES)
    .optional()
    .meta({ description: 'The same on chain, by x402: one for each asset that is accepted.' }),
});
