// What is read of the forms of an account, and what is said when the rules of operate/ refuse it: the field, in the reader's
// language, and the service's own words beside it.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import type { KeyChange, KeyScope } from '../../stores/contract/accounts.ts';
import { previousField } from '../../templates/account/key-parts.ts';
import type { FormProblem } from '../../templates/account/parts.ts';
import type { AccountTexts } from '../../templates/languages/account/en.ts';
import { amountIn } from '../../money.ts';
import type { Filter } from '../../register/finding/filter.ts';
import { parseRate, type RateLimit } from '../../web/rate-limit.ts';

/** Texts for what is wrong with a field, by its name. */
type InvalidField = keyof AccountTexts['form']['invalid'];

/** The fields of forms by the options that rules name. */
const FIELD_OF_OPTION: Readonly<Record<string, InvalidField>> = {
  name: 'name',
  scopes: 'scopes',
  feeds: 'feeds',
  limit: 'limit',
  budget: 'budget',
  per_day: 'per_day',
  max_price: 'max_price',
  expires_at: 'expires',
  grace: 'grace',
  url: 'url',
  event: 'types',
  types: 'types',
  filter: 'filters',
  filters: 'filters',
  since: 'since',
};

/** The fields of forms by the codes of rules. */
const FIELD_OF_CODE: Readonly<Partial<Record<GazetteError['code'], InvalidField>>> = {
  unknown_feed: 'feeds',
  destination_refused: 'url',
  unknown_parameter: 'filters',
  invalid_parameter: 'filters',
};

/** Codes that a form can mend, or that its page explains; all others are errors of a page. */
const MENDABLE: readonly GazetteError['code'][] = [
  ...(['invalid_option', 'unknown_feed', 'destination_refused', 'unknown_parameter', 'invalid_parameter'] as const),
  ...(['invalid_secrets_key', 'no_next_secret', 'insufficient_scope'] as const),
];

/**
 * What is wrong with a form, for an error of the rules.
 *
 * @param fields those that the form has
 * @throws `error` itself if the form cannot mend it
 */
export function problemOf(
  error: unknown,
  { form, fields, texts }: { readonly form: string; readonly fields: URLSearchParams; readonly texts: AccountTexts },
): FormProblem {
  if (!isGazetteError(error) || !MENDABLE.includes(error.code)) throw error;
  if (error.code === 'invalid_secrets_key') {
    return { form, field: null, text: texts.form.unavailable, detail: null };
  }
  const option = String(error.details.option ?? '');
  const field = FIELD_OF_CODE[error.code] ?? FIELD_OF_OPTION[option] ?? 'other';
  return {
    form,
    // A form need not show every field: a choice of none is a field, too.
    field: field === 'other' || !(fields.has(field) || LISTS.has(field)) ? null : field,
    text: texts.form.invalid[field],
    detail: error.message,
  };
}

/** Fields that a browser leaves out if nothing is chosen. */
const LISTS: ReadonlySet<string> = new Set(['scopes', 'feeds', 'types']);

/**
 * The name of a key, and what it may do.
 *
 * @param currency that of the account's credit; null: it has none, and the form no fields for a budget
 * @throws GazetteError `invalid_option`
 */
export function keyFieldsIn(fields: URLSearchParams, currency: string | null): KeyChange {
  const name = (fields.get('name') ?? '').trim();
  const feeds = feedsIn(fields);
  return {
    name: name === '' ? null : name,
    // The store names those that there are.
    scopes: fields.getAll('scopes') as readonly KeyScope[],
    feeds: feeds.length === 0 ? null : feeds,
    limit: limitIn(fields),
    ...(currency === null ? {} : budgetIn(fields, currency)),
  };
}

/** The registers that a form chooses, each once. */
export function feedsIn(fields: URLSearchParams): readonly string[] {
  const others = (fields.get('other_feeds') ?? '').split(/[\s,;]+/).filter((id) => id !== '');
  return [...new Set([...fields.getAll('feeds'), ...others])];
}

/** What is to change of a key's budget: what differs from what the page showed. The key may have given a part away since. */
function budgetIn(fields: URLSearchParams, currency: string): Pick<KeyChange, 'budget'> {
  const written = (name: string): string => (fields.get(name) ?? '').trim();
  const [budget, perDay, highest] = (['budget', 'per_day', 'max_price'] as const).map((name) => {
    const text = written(name);
    if (text === written(previousField(name))) return undefined;
    const amount = amountIn(text, currency);
    if (text !== '' && amount === null) throw invalidAmount(name, text);
    return amount;
  });
  if (budget === undefined && perDay === undefined && highest === undefined) return {};
  if (written('budget') !== '') {
    return {
      budget: {
        ...(budget == null ? {} : { budget }),
        ...(perDay === undefined ? {} : { perDay }),
        ...(highest === undefined ? {} : { maxPrice: highest === null ? null : { amount: highest, currency } }),
      },
    };
  }
  if (written('per_day') === '' && written('max_price') === '') return { budget: null };
  throw new GazetteError('invalid_option', 'budget must be given with per_day or max_price, got none', {
    details: { option: 'budget' },
  });
}

function invalidAmount(option: string, text: string): GazetteError {
  const message = `${option} must be an amount of money such as 2.50, got ${quote(text)}`;
  return new GazetteError('invalid_option', message, { details: { option } });
}

function limitIn(fields: URLSearchParams): RateLimit | null {
  const [requests, seconds] = ['limit', 'seconds'].map((name) => (fields.get(name) ?? '').trim());
  return requests === '' && seconds === '' ? null : parseRate('limit', `${requests}/${seconds}`);
}

/** Hours as milliseconds. @throws GazetteError `invalid_option` */
export function graceIn(fields: URLSearchParams): number {
  const text = (fields.get('grace') ?? '').trim();
  if (/^\d{1,4}(?:\.\d{1,3})?$/.test(text)) return Number(text) * 3_600_000;
  throw new GazetteError('invalid_option', 'grace must be a number of hours', { details: { option: 'grace' } });
}

/** A day; undefined for an empty field. */
export function dayIn(fields: URLSearchParams, name: string): string | undefined {
  const text = (fields.get(name) ?? '').trim();
  return text === '' ? undefined : text;
}

/** Filters, one a line: `document_type=adopted`. One that is written twice has both values. @throws GazetteError `invalid_option` */
export function filtersIn(fields: URLSearchParams): Filter {
  const filter: Record<string, string | string[]> = {};
  for (const line of (fields.get('filters') ?? '').split(/\r?\n/).map((text) => text.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at < 1) {
      throw new GazetteError('invalid_option', 'a filter must be name=value', { details: { option: 'filters' } });
    }
    const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    const known = filter[name];
    filter[name] = known === undefined ? value : [known, value].flat();
  }
  return filter;
}

/** Filters as {@link filtersIn} reads them. */
export function filterLines(filter: Filter | null): string {
  return Object.entries(filter ?? {})
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
    .join('\n');
}
