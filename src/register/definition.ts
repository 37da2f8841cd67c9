// Checks a register definition once, at its entry: all other code can trust the type.
import { isObject, isWhole } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';
import { isTokenAmount, TOKEN_AMOUNTS } from '../money.ts';
import { RESERVED_FIELD_NAMES } from './fields.ts';
import { canBeFilterable, OWN_TEST_ENDS } from './finding/own-filters.ts';
import { ID_PATTERNS } from './identity.ts';
import type { ChainPrice, Field, FieldType, Prices, RegisterDefinition } from './record.ts';
import { isDateTime } from './time.ts';
import { isHttpUrl } from './url.ts';

/** The types a register's own fields can have. */
// prettier-ignore
export const FIELD_TYPES: readonly FieldType[] = [
  'text', 'number', 'decimal', 'integer', 'boolean', 'date', 'datetime', 'url', 'json',
];

/** The pattern of the names of a register's own fields. */
export const FIELD_NAMES: { readonly maxLength: number; readonly pattern: RegExp } = {
  maxLength: 64,
  pattern: /^[a-z][a-z0-9_]{0,63}$/,
};

/** A definition as input: omitted members are null, or empty for `description` and `fields`. */
export interface DefinitionInput {
  /** The feed id: `[a-z0-9][a-z0-9-]{0,63}`. */
  readonly id: string;
  /** The name of the register, for people. */
  readonly title: string;
  /** RFC 3339 date-time. */
  readonly created_at: string;
  /** What the register contains. Default: empty. */
  readonly description?: string;
  /** A BCP 47 language tag. Default null. */
  readonly language?: string | null;
  /** The issuing body, for people. Default null. */
  readonly author?: string | null;
  /** The rights to the records. Default null. */
  readonly rights?: string | null;
  /** The absolute http(s) URL of the register's own page. Default null. */
  readonly homepage?: string | null;
  /**
   * The register's own UUID in lower case. Default null: a store makes one with the register. State it only to make a
   * register again with the permanent ids it had.
   */
  readonly uuid?: string | null;
  /** The domain name or e-mail address in permanent ids. Default null: permanent ids are made of the `uuid`. */
  readonly authority?: string | null;
  /** A year in which `authority` belonged to the publisher. Default null; it must be given with `authority`. */
  readonly year?: number | null;
  /** Who sees what: `tiered`, the default, or `open`: everybody sees everything. */
  readonly access?: 'tiered' | 'open';
  /** What its records cost one by one. Default: they are not sold. An open register sells nothing. */
  readonly prices?: Prices;
  /** Whether the words of records can be searched. Default true. */
  readonly search?: boolean;
  /** Who gets the entries of its log: `public`, the default, or `pro`: those who read all its records. */
  readonly log?: 'public' | 'pro';
  /** How often a file is expected: a number of hours, days or weeks such as `7d`. Default: nothing is expected. */
  readonly every?: string | null;
  /** The register's own fields. Default: none. The default of a `label` is derived from the name. */
  readonly fields?: readonly (Omit<Field, 'label' | 'filterable'> & {
    readonly label?: string;
    readonly filterable?: boolean;
  })[];
}

/** The most prices on chain of one register: an offer that names them all stays within 4 KB. */
export const MOST_CHAIN_PRICES = 8;

/** The patterns of members of a definition. */
export const DEFINITION_PATTERNS: Readonly<
  Record<'language' | 'authority' | 'every' | 'currency' | 'network' | 'address' | 'contract', RegExp>
> = {
  // The outline of BCP 47 (RFC 5646 2.1): a primary subtag and further ones of 1 to 8 letters and digits.
  language: /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/,
  // RFC 4151 2.1: a DNS name in lower case, or an e-mail address at one.
  authority: /^(?:[A-Za-z0-9._-]+@)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/,
  every: /^[1-9][0-9]{0,3}[hdw]$/,
  currency: /^[A-Z]{3}$/,
  // CAIP-2.
  network: /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/,
  // The reference of an asset and of an account (CAIP-19, CAIP-10), as far as both have it.
  address: /^[-.%a-zA-Z0-9]{1,128}$/,
  // What an asset's contract says of itself.
  contract: /^[^\p{Cc}]{1,64}$/u,
};

// prettier-ignore
const MEMBERS: ReadonlySet<string> = new Set<keyof RegisterDefinition>([
  'id', 'title', 'description', 'language', 'author', 'rights', 'homepage', 'created_at', 'uuid', 'authority', 'year',
  'access', 'prices', 'search', 'log', 'every', 'fields',
]);

// prettier-ignore
const FIELD_MEMBERS: ReadonlySet<string> = new Set<keyof Field>([
  'name', 'label', 'type', 'description', 'source_names', 'from_file', 'filterable',
]);

/** Whether `text` can be the id of a register. */
export function isFeedId(text: string): boolean {
  return ID_PATTERNS.feed.test(text);
}

/**
 * Checks a definition from a person or a file and returns a {@link RegisterDefinition}. Unknown members are refused,
 * because they are usually typing errors.
 *
 * @throws GazetteError `invalid_definition`, naming the member and what it should be.
 * @example defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' })
 */
export function defineRegister(input: DefinitionInput): RegisterDefinition {
  const given: unknown = input;
  if (!isObject(given)) throw invalid('definition', 'a JSON object', given);
  for (const name of Object.keys(given)) {
    if (!MEMBERS.has(name)) {
      throw new GazetteError(
        'invalid_definition',
        `unknown member ${quote(name)} in the definition; known are ${[...MEMBERS].join(', ')}`,
        { details: { member: name } },
      );
    }
  }
  const every = optional(given.every, (value) =>
    matching(value, 'every', DEFINITION_PATTERNS.every, 'such as 36h, 7d or 2w'),
  );
  const definition: RegisterDefinition = {
    id: matching(given.id, 'id', ID_PATTERNS.feed, '1..64 of a-z 0-9 - and not starting with -'),
    title: text(given.title, 'title'),
    description: given.description === undefined ? '' : text(given.description, 'description', { empty: true }),
    language: optional(given.language, (value) =>
      matching(value, 'language', DEFINITION_PATTERNS.language, 'a BCP 47 language tag such as en or de-CH'),
    ),
    author: optional(given.author, (value) => text(value, 'author')),
    rights: optional(given.rights, (value) => text(value, 'rights')),
    homepage: optional(given.homepage, (value) => {
      if (typeof value !== 'string' || !isHttpUrl(value)) throw invalid('homepage', 'an absolute http(s) URL', value);
      return value;
    }),
    created_at: ((value) => {
      if (typeof value !== 'string' || !isDateTime(value)) {
        throw invalid('created_at', 'an RFC 3339 date-time such as 2026-01-01T00:00:00Z', value);
      }
      return value;
    })(given.created_at),
    uuid: optional(given.uuid, (value) =>
      matching(value, 'uuid', ID_PATTERNS.uuid, 'a UUID in lower case such as 2ed6657d-e927-568b-95e1-2665a8aea6a2'),
    ),
    authority: optional(given.authority, (value) =>
      matching(value, 'authority', DEFINITION_PATTERNS.authority, 'a domain name in lower case, or an e-mail address'),
    ),
    year: optional(given.year, (value) => {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 1970 || value > 9999) {
        throw invalid('year', 'a year such as 2026, as a number', value);
      }
      return value;
    }),
    ...(isOther(given.access, 'access', 'tiered', 'open') ? { access: 'open' } : {}),
    ...pricesIn(given),
    ...(isTrue(given.search, 'search', true) ? {} : { search: false }),
    ...(isOther(given.log, 'log', 'public', 'pro') ? { log: 'pro' } : {}),
    ...(every === null ? {} : { every }),
    fields: fields(given.fields ?? []),
  };
  if ((definition.authority === null) !== (definition.year === null)) {
    const missing = definition.year === null ? 'year' : 'authority';
    throw invalid(missing, 'given when the other of authority and year is (RFC 4151)', null);
  }
  return definition;
}

function pricesIn({ prices, access }: Readonly<Record<string, unknown>>): Pick<RegisterDefinition, 'prices'> {
  if (prices === undefined || prices === null) return {};
  if (isOther(access, 'access', 'tiered', 'open'))
    throw invalid('prices', 'left out: everybody reads an open register whole', prices);
  const { currency, per_record, x402 } = membersOf(prices, 'prices', ['currency', 'per_record', 'x402']);
  const isList = Array.isArray(x402) && x402.length > 0 && x402.length <= MOST_CHAIN_PRICES;
  if (x402 !== undefined && !isList) throw invalid('prices.x402', `a list of 1..${MOST_CHAIN_PRICES} prices`, x402);
  const checked: Prices = {
    currency: matching(currency, 'prices.currency', DEFINITION_PATTERNS.currency, 'a code of ISO 4217 such as EUR'),
    per_record: amount(per_record, 'prices.per_record'),
    ...(x402 === undefined ? {} : { x402: (x402 as readonly unknown[]).map(chainPrice) }),
  };
  return { prices: checked };
}

function chainPrice(input: unknown, index: number): ChainPrice {
  const at = `prices.x402[${index}]`;
  const given = membersOf(input, at, ['network', 'asset', 'amount', 'pay_to', 'name', 'version']);
  const { network, address, contract } = DEFINITION_PATTERNS;
  return {
    network: matching(given.network, `${at}.network`, network, 'a network by CAIP-2 such as eip155:8453'),
    asset: matching(given.asset, `${at}.asset`, address, 'the address of an asset'),
    amount: matching(given.amount, `${at}.amount`, { test: isTokenAmount }, TOKEN_AMOUNTS.expected),
    pay_to: matching(given.pay_to, `${at}.pay_to`, address, 'the address that is paid'),
    name: matching(given.name, `${at}.name`, contract, 'the name of the contract, 1..64 characters'),
    version: matching(given.version, `${at}.version`, contract, 'the version of the contract, 1..64 characters'),
  };
}

function membersOf<Name extends string>(value: unknown, at: string, names: readonly Name[]): Record<Name, unknown> {
  if (!isObject(value)) throw invalid(at, `an object with ${names.join(', ')}`, value);
  const other = Object.keys(value).find((name) => !names.some((known) => known === name));
  if (other !== undefined) throw invalid(`${at}.${other}`, `absent: known are ${names.join(', ')}`, value[other]);
  return value as Record<Name, unknown>;
}

function amount(value: unknown, member: string): number {
  if (typeof value === 'number' && isWhole(value, 1)) return value;
  throw invalid(member, 'a whole number from 1 on, in the smallest unit of the currency', value);
}

function fields(input: unknown): readonly Field[] {
  if (!Array.isArray(input)) throw invalid('fields', 'an array', input);
  const names = new Set<string>();
  const checked = input.map((item: unknown, index): Field => {
    const at = `fields[${index}]`;
    if (!isObject(item)) throw invalid(at, 'an object with name and type', item);
    for (const member of Object.keys(item)) {
      if (!FIELD_MEMBERS.has(member)) {
        throw invalid(`${at}.${member}`, `absent: a field has ${[...FIELD_MEMBERS].join(', ')}`, item[member]);
      }
    }
    const expected = '1..64 of a-z 0-9 _ and starting with a letter';
    const name = matching(item.name, `${at}.name`, FIELD_NAMES.pattern, expected);
    if (RESERVED_FIELD_NAMES.has(name)) throw invalid(`${at}.name`, 'no name of a core field', name);
    if (names.has(name)) throw invalid(`${at}.name`, 'a name no other field has', name);
    names.add(name);
    const type = FIELD_TYPES.find((known) => known === item.type);
    if (type === undefined) {
      throw invalid(`${at}.type`, `one of ${FIELD_TYPES.join(', ')}`, item.type);
    }
    return {
      name,
      label: item.label === undefined ? name : text(item.label, `${at}.label`),
      type,
      ...(item.description === undefined ? {} : { description: text(item.description, `${at}.description`) }),
      ...(item.source_names === undefined ? {} : { source_names: sourceNames(item.source_names, at) }),
      ...(isTrue(item.from_file, `${at}.from_file`) ? { from_file: true } : {}),
      ...(isFilterable(item.filterable, { name }, at) ? { filterable: true } : {}),
    };
  });
  for (const [index, { source_names = [] }] of checked.entries()) {
    for (const name of source_names) {
      if (names.has(name)) throw invalid(`fields[${index}].source_names`, 'names that belong to no other field', name);
      names.add(name);
    }
  }
  return checked;
}

function sourceNames(input: unknown, at: string): readonly string[] {
  if (!Array.isArray(input) || input.length === 0) throw invalid(`${at}.source_names`, 'a list of names', input);
  return input.map((name: unknown) =>
    matching(name, `${at}.source_names`, FIELD_NAMES.pattern, 'names of 1..64 of a-z 0-9 _'),
  );
}

function isTrue(value: unknown, member: string, fallback = false): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? fallback;
  throw invalid(member, `${!fallback}, or left out`, value);
}

function isFilterable(value: unknown, field: Pick<Field, 'name'>, at: string): boolean {
  if (!isTrue(value, `${at}.filterable`)) return false;
  if (canBeFilterable(field)) return true;
  const expected = `left out for names that end in ${OWN_TEST_ENDS.join(', ')}`;
  throw invalid(`${at}.filterable`, expected, value);
}

/** Whether a member has the other of two values, and not the usual one, which may be left out. */
function isOther(value: unknown, member: string, usual: string, other: string): boolean {
  if (value === undefined || value === null || value === usual || value === other) return value === other;
  throw invalid(member, `${usual} or ${other}`, value);
}

function text(value: unknown, member: string, { empty = false } = {}): string {
  if (typeof value !== 'string' || (!empty && value.trim() === '')) {
    throw invalid(member, empty ? 'text' : 'text that is not empty', value);
  }
  return value;
}

function matching(value: unknown, member: string, pattern: Pick<RegExp, 'test'>, expected: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw invalid(member, expected, value);
  return value;
}

function optional<T>(value: unknown, check: (value: unknown) => T): T | null {
  return value === undefined || value === null ? null : check(value);
}

function invalid(member: string, expected: string, got: unknown): GazetteError {
  const shown = got === undefined ? 'nothing' : quote(got);
  return new GazetteError('invalid_definition', `${member} must be ${expected}, got ${shown}`, { details: { member } });
}
