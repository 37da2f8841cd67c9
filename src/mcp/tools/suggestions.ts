// What there is in place of what was asked for: the values of a filter that matches nothing, the record that has a text
// as its key, the ids that are written nearly like one. All of it only within what the caller's tier lists.
import type { Filter } from '../../register/finding/filter.ts';
import { openedFeeds, opensFeed } from '../../access/scopes.ts';
import { STATED_FILTERS } from '../../register/finding/filters.ts';
import { ownFilters } from '../../register/finding/own-filters.ts';
import { countedFacets, facetsOfSource } from '../../register/sources/facets.ts';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { foldName, MAX_NAMED, MAX_NAMED_LENGTH, nearest, nearestFirst } from '../../nearest.ts';
import { unescaped } from '../../web/incoming-request.ts';
import { isFeedId } from '../../register/definition.ts';
import { decodeKey, isRecordId, recordIdOrNull, recordKey } from '../../register/identity.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { publicWindow, tierIn } from '../../register/tier.ts';
import { feedIdOf } from '../../stores/rows/register.ts';
import type { NamedRecord } from '../../stores/contract/record-keys.ts';
import { type CountedField, NEAR_IDS_PAGE_SIZE, VALUES_PAGE_SIZE } from '../../stores/contract/values.ts';
import { nearestWords } from '../../views/nearest-words.ts';
import type { RegisterView } from '../../views/registers.ts';
import { costOf } from '../budget.ts';
import { type ToolCall, type ToolServices, viewFor } from './tool.ts';

/** In how many registers a key is looked up that comes without its register. */
const MAX_REGISTERS = 20;

/** In how many registers ids are looked for that are written nearly like one: each takes a dozen queries. */
const MAX_NEAR_REGISTERS = 8;

/** How many ids are read in each direction of each way to write a key. */
const NEAR_IDS = 10;

/** The signs that publishers put between the parts of a key, and that people confuse. */
const SEPARATORS = ['/', '-', '.', '_', ' ', ''];

/** The answer to the question which values a filter may have, by the filter's name; the nearest first, then the commonest. */
export type Values = Readonly<Record<string, readonly string[]>>;

/** A record by its names. */
interface Named {
  readonly id: string;
  readonly key: string;
}

/** The records that the caller sees of registers, by their feed ids. Null: all. */
type Listed = ReadonlyMap<string, readonly Named[] | null>;

/** Knows what a caller may have meant. */
export class Suggestions {
  readonly #services: ToolServices;

  constructor(services: ToolServices) {
    this.#services = services;
  }

  /**
   * What the fields of a filter hold that matches nothing.
   *
   * @param room the maximum size in bytes, as {@link costOf} counts
   */
  async valuesFor(view: RegisterView, filter: Filter, call: ToolCall, room: number): Promise<Values> {
    const values: Record<string, string[]> = {};
    const [key] = filter.key ?? [];
    const id = key === undefined ? null : recordIdOrNull(view.entry.definition.id, key);
    if (id !== null) values.key = (await this.#near([id], await this.#listed([id], call))).map(({ key }) => key);
    for (const name of STATED_FILTERS) {
      const [asked] = filter[name] ?? [];
      if (asked !== undefined) values[name] = await this.values(view, name, asked, call);
    }
    const own = ownFilters(view.entry.definition.fields).filter(({ test }) => test === 'exact');
    for (const { name } of own) {
      const [asked] = filter[name] ?? [];
      if (asked !== undefined) values[name] = nearestFirst(asked, await this.#ownValues(view, name, call));
    }
    const [query] = filter.q ?? [];
    if (query !== undefined) values.q = await this.wordsFor(view, query, call);
    for (const list of Object.values(values)) while (list.length > 0 && costOf(values) > room) list.pop();
    return Object.fromEntries(Object.entries(values).filter(([, list]) => list.length > 0));
  }

  /** Words for those of a question that no record has. */
  async wordsFor(view: RegisterView, query: string, call: ToolCall): Promise<string[]> {
    const { source } = this.#services.sight.of(call.access, view);
    return nearestWords(source, query, call.request.signal);
  }

  /** The values of a field, those that are written nearly like `asked` first, then those that begin so, then the commonest. */
  async values(view: RegisterView, field: CountedField, asked: string, call: ToolCall): Promise<string[]> {
    const common = await this.#commonest(view, field, '', call);
    const isCut = common.length === VALUES_PAGE_SIZE;
    const alike = asked !== '' && isCut ? await this.#commonest(view, field, asked, call) : [];
    return nearestFirst(asked, common, alike);
  }

  /**
   * The values that begin like a text, of a filter that asks for exact ones: the commonest first, keys in their order. None
   * for another name.
   */
  async beginning(view: RegisterView, name: string, text: string, call: ToolCall): Promise<readonly string[]> {
    const folded = foldName(text);
    return [...new Set(await this.#candidates(view, name, text, call))].filter(
      (value) => value.length <= MAX_NAMED_LENGTH && foldName(value).startsWith(folded),
    );
  }

  async #candidates(view: RegisterView, name: string, text: string, call: ToolCall): Promise<readonly string[]> {
    const { definition } = view.entry;
    if (name === 'key') return this.#keys(view, text, call);
    const counted = STATED_FILTERS.find((field) => field === name);
    if (counted !== undefined) {
      const common = await this.#commonest(view, counted, '', call);
      const alike = common.length === VALUES_PAGE_SIZE ? await this.#commonest(view, counted, text, call) : [];
      return [...alike, ...common];
    }
    const isOwn = ownFilters(definition.fields).some((filter) => filter.name === name && filter.test === 'exact');
    return isOwn ? this.#ownValues(view, name, call) : [];
  }

  /** The keys from a text on, in the order of their ids; a hundred, and one more where there is one. */
  async #keys({ entry, source }: RegisterView, text: string, call: ToolCall): Promise<readonly string[]> {
    const { store, sight } = this.#services;
    const feedId = entry.definition.id;
    if (!listsAll(sight, entry.definition, call)) {
      return (await publicWindow(source, sight.tiers.window, call.request.signal)).map(({ key }) => key);
    }
    const id = recordIdOrNull(feedId, text) ?? `${feedId}:`;
    const ids = await store.values.idsNear(id, { limit: NEAR_IDS_PAGE_SIZE });
    const last = ids[NEAR_IDS_PAGE_SIZE - 1];
    const more = last === undefined ? [] : await store.values.idsNear(last, { limit: 2 });
    return (await this.#named(feedId, [...ids, ...more])).map((record) => record.key);
  }

  /**
   * Reads a record by its id, or, if there is none, by its publisher's key.
   *
   * @throws GazetteError `unknown_record`, which names the nearest ids, and whatever `read` throws
   */
  async reading<T>(text: string, call: ToolCall, read: (id: string) => Promise<T>): Promise<T> {
    try {
      return await read(text);
    } catch (error) {
      if (!isGazetteError(error, 'unknown_record')) throw error;
      const possible = (await this.#possible(text, call)).filter(({ id }) => opensFeed(call.access, feedIdOf(id)));
      const near = possible.map(({ id }) => id);
      const listed = await this.#listed(near, call);
      const ids = await this.#existing(possible, listed);
      if (ids.length === 1) return read(ids[0]!);
      const named = ids.length > 0 ? ids : (await this.#near(near, listed)).map(({ id }) => id);
      if (named.length === 0) throw error;
      const words = ids.length > 0 ? 'several registers have one of this key' : 'nearest to it';
      const list = named.map((id) => quote(id)).join(', ');
      throw new GazetteError('unknown_record', `there is no record ${quote(text)}; ${words}: ${list}`, {
        details: error.details,
      });
    }
  }

  /** What a text may stand for: an id, or a key, with its register before it or alone. */
  async #possible(text: string, { access }: ToolCall): Promise<readonly NamedRecord[]> {
    const { store } = this.#services;
    const plain = unescaped(text.trim());
    const named = feedIdOf(plain.toLowerCase());
    const isNamed = named.length < plain.length && isFeedId(named) && (await store.register(named)) !== null;
    const said = isNamed ? plain.slice(named.length + 1) : plain;
    const id = `${named}:${said}`;
    if (isNamed && isRecordId(named, id)) return [{ id, isId: true }];
    const key = decodeKey(said) ?? said;
    return (isNamed ? [named] : (openedFeeds(access) ?? (await this.#firstFeeds())).slice(0, MAX_REGISTERS))
      .map((id) => recordIdOrNull(id, key))
      .flatMap((id) => (id === null ? [] : { id }));
  }

  async #firstFeeds(): Promise<readonly string[]> {
    const { registers } = await this.#services.store.catalogue.page({ offset: 0, limit: MAX_REGISTERS });
    return registers.map(({ definition }) => definition.id);
  }

  /** The ids of the records that have these names: a key is that of a record first, and then what its id was made of. */
  async #existing(names: readonly NamedRecord[], listed: Listed): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { id, isId = false } of names) {
      const feed = feedIdOf(id);
      const meant = await this.#services.store.recordKeys.find(feed, [
        { id, isId },
        { id, isId: true },
      ]);
      const seen = listed.get(feed);
      const record = meant.find(
        (one) =>
          seen?.some((other) => other.id === one.id) ??
          (one.state !== null && (one.state !== 'redacted' || one.id === id)),
      );
      if (record !== undefined) found.push(record.id);
    }
    return found;
  }

  /** The records whose keys are written nearly like those of these ids. */
  async #near(ids: readonly string[], listed: Listed): Promise<readonly Named[]> {
    const near = new Map<string, Named>();
    for (const id of ids.slice(0, MAX_NEAR_REGISTERS)) {
      const key = recordKey(id);
      const feed = feedIdOf(id);
      const others = listed.get(feed) ?? (await this.#neighbours(feed, key));
      const byKey = new Map(others.map((other) => [other.key, other]));
      for (const name of nearest(key, [...byKey.keys()])) {
        const other = byKey.get(name)!;
        near.set(other.id, other);
      }
    }
    return [...near.values()].slice(0, MAX_NAMED);
  }

  /** The records next to a key, however its parts are separated. */
  async #neighbours(feedId: string, key: string): Promise<readonly Named[]> {
    const forms = new Set(
      SEPARATORS.map((sign) => key.replace(/[/\-._ ]+/g, sign)).flatMap((form) => [form, form.toUpperCase()]),
    );
    const ids = [key, ...forms].map((form) => recordIdOrNull(feedId, form)).filter((id) => id !== null);
    const found = await Promise.all(ids.map((id) => this.#services.store.values.idsNear(id, { limit: NEAR_IDS })));
    return this.#named(feedId, [...new Set(found.flat())]);
  }

  /** Records by their ids, with the keys that they have now. */
  async #named(feedId: string, ids: readonly string[]): Promise<readonly Named[]> {
    const named = ids.map((id) => ({ id, isId: true }));
    const found = await this.#services.store.recordKeys.find(feedId, named);
    return found.map(({ id, key }) => ({ id, key: key ?? recordKey(id) }));
  }

  /** What the caller sees of the registers of these ids. */
  async #listed(ids: readonly string[], call: ToolCall): Promise<Listed> {
    const { registers, sight } = this.#services;
    const listed = new Map<string, readonly Named[] | null>();
    for (const feed of new Set(ids.map(feedIdOf))) {
      const { entry, source } = await viewFor({ registers }, feed, call);
      const isAll = listsAll(sight, entry.definition, call);
      const latest = isAll ? null : await publicWindow(source, sight.tiers.window, call.request.signal);
      listed.set(feed, latest);
    }
    return listed;
  }

  /** The commonest values of an own field. The public's agents see none (specification 1.6). */
  async #ownValues({ entry, source }: RegisterView, name: string, call: ToolCall): Promise<readonly string[]> {
    if (tierIn(entry.definition, call.access.tier) !== 'pro') return [];
    const { facets } =
      (await countedFacets(source, [name])) ?? (await facetsOfSource(source, [name], undefined, call.request.signal));
    return facets[0]!.values.map(({ value }) => value);
  }

  async #commonest(
    { entry, source }: RegisterView,
    field: CountedField,
    startsWith: string,
    call: ToolCall,
  ): Promise<readonly string[]> {
    const { store, sight } = this.#services;
    if (tierIn(entry.definition, call.access.tier) === 'pro') {
      const counts = await store.values.list(entry.definition.id, field, { limit: VALUES_PAGE_SIZE, startsWith });
      return counts.map(({ value }) => value);
    }
    const latest = await publicWindow(source, sight.tiers.window, call.request.signal);
    return [...new Set(latest.map((record) => record[field]).filter((value) => value !== null))];
  }
}

/** Whether the caller's lists have all records: keys are in previews too. */
function listsAll(sight: ToolServices['sight'], definition: RegisterDefinition, { access }: ToolCall): boolean {
  return tierIn(definition, access.tier) === 'pro' || sight.own(access) !== null;
}
