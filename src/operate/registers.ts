// An operator's work with registers: creates, changes and removes them. This file decides what a change keeps, and
// which changes of fields the records allow.
import { isObject } from '../checks.ts';
import { GazetteError, isGazetteError, quote } from '../errors.ts';
import { type DefinitionInput, defineRegister } from '../register/definition.ts';
import type { Field, FieldType, Prices, RegisterDefinition } from '../register/record.ts';
import { asciiName } from '../import/mapping/field-name.ts';
import type { FindingActions } from '../import/proposals/finding-codes.ts';
import { withHeldNames } from '../import/settle-fields.ts';
import { statementNames } from '../register/declared-values.ts';
import { pages } from '../register/sources/source.ts';
import type { RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';
import type { UnderLease } from '../stores/contract/leases.ts';
import { holdRegister, type WaitOptions } from '../stores/lease/hold-register.ts';
import { unknownFeed } from '../stores/rows/register.ts';
import {
  checkStoredValues,
  checkLosses,
  checkTypes,
  keepNames,
  renameField,
  retypeFields,
} from './registers/field-changes.ts';

/** The description of a register. */
export interface RegisterDescription {
  /** Members of its definition, which replace those of `whole`. */
  readonly members: Partial<DefinitionInput>;
  /**
   * A whole definition as input, not checked yet: members that neither it nor `members` contains get their defaults.
   * Without it they remain unchanged.
   */
  readonly whole?: {
    readonly value: unknown;
    /** What messages call it, such as a file's name. */ readonly name: string;
  };
}

/**
 * The registers of a store.
 *
 * @example
 * const registers = new Registers(store);
 * await registers.add(defineNew('permits', { members: { title: 'Permits' } }));
 * await registers.update('permits', { members: { author: 'Office of Works' } });
 */
export class Registers {
  readonly #store: RegisterStore;
  readonly #now: () => number;

  /** @param options.now the clock, in milliseconds since 1970. Default `Date.now` */
  constructor(store: RegisterStore, { now = Date.now }: { readonly now?: () => number } = {}) {
    this.#store = store;
    this.#now = now;
  }

  /** All registers, by id, some at a time. */
  walk(): AsyncIterable<readonly RegisterEntry[]> {
    return this.#store.catalogue.walk();
  }

  /** One register. @throws GazetteError `unknown_feed` */
  async find(feedId: string): Promise<RegisterEntry> {
    const entry = await this.#store.register(feedId);
    if (entry === null) throw unknownFeed(feedId);
    return entry;
  }

  /** Creates an empty register. @throws GazetteError `register_exists` */
  add(definition: RegisterDefinition): Promise<RegisterEntry> {
    return this.#store.createRegister(definition);
  }

  /**
   * Changes a register's definition, including its fields. Its time of creation remains, unless the description
   * contains one. What permanent ids are made of remains too: its uuid, authority and year.
   *
   * @param options.replaces whether fields, the title and the language go that a whole definition lacks. Default false
   * @throws GazetteError `unknown_feed`; `definition_loses`, naming what would go; `invalid_definition`, also for a field that
   *   does not fit the stored records and for another uuid, authority or year; `register_busy` while another process works on the register
   */
  async update(
    feedId: string,
    description: RegisterDescription,
    options: WaitOptions & { readonly replaces?: boolean } = {},
  ): Promise<RegisterEntry> {
    const { replaces = false } = options;
    const hold = { ...options, what: 'register update', now: this.#now };
    const work = async (under: UnderLease): Promise<RegisterEntry> => {
      const before = await this.find(feedId);
      const { definition: known } = before;
      const { created_at, uuid, authority, year, title } = known;
      const identity = { created_at, uuid, authority, year };
      const kept = description.whole === undefined ? known : replaces ? identity : { ...identity, title };
      const described = keepNames(known, definitionFrom(feedId, description, kept));
      const { whole, members } = description;
      if (!replaces && isObject(whole?.value)) checkLosses(known, { ...whole.value, ...members }, whole.name);
      checkTypes(before, described);
      const definition = defineRegister(await this.#withHeldNames(known, described));
      // Statements keep values that the definition does not name, and a new field with that name shows them.
      const names = new Set(known.fields.map(({ name }) => name));
      const added = definition.fields.filter(({ name }) => !names.has(name));
      await checkStoredValues(this.#store, feedId, added, '; give the field of that type another name');
      return this.#store.updateRegister(definition, { recordedAt: new Date(this.#now()).toISOString(), ...under });
    };
    return holdRegister(this.#store, feedId, hold, (held) => held.write(work));
  }

  /**
   * Sets what records cost one by one, and touches nothing else of the definition.
   *
   * @param prices null: nothing is sold any more
   * @throws GazetteError `unknown_feed`; `invalid_definition`, also for prices of an open register; `register_busy` while another
   *   process works on the register
   */
  setPrices(feedId: string, prices: Prices | null, options: WaitOptions = {}): Promise<RegisterEntry> {
    const hold = { ...options, what: 'register price', now: this.#now };
    const work = async (under: UnderLease): Promise<RegisterEntry> => {
      const { prices: before, ...known } = (await this.find(feedId)).definition;
      if (prices === null && before === undefined) return this.find(feedId);
      if (prices !== null && known.access === 'open') throw nothingToSell(feedId);
      const definition = defineRegister(prices === null ? known : { ...known, prices });
      return this.#store.updateRegister(definition, { recordedAt: new Date(this.#now()).toISOString(), ...under });
    };
    return holdRegister(this.#store, feedId, hold, (held) => held.write(work));
  }

  /** What an import does with what it finds in a file, where it is not the default. @throws GazetteError `unknown_feed` */
  async findings(feedId: string): Promise<FindingActions> {
    return (await this.#store.imports.basis(feedId)).findings;
  }

  /**
   * Sets what imports do with findings. What is not named stays as it is.
   *
   * @throws GazetteError `unknown_feed`; `register_busy` while another process works on the register
   */
  async setFindings(feedId: string, findings: FindingActions, options: WaitOptions = {}): Promise<void> {
    const hold = { ...options, what: 'register update', now: this.#now };
    await holdRegister(this.#store, feedId, hold, async (held) => {
      const known = await held.ask(() => this.findings(feedId));
      await held.write((under) => this.#store.imports.setFindings(feedId, { ...known, ...findings }, under));
    });
  }

  /**
   * Gives fields other types. No record gets a version.
   *
   * @param types by the field's name
   * @throws GazetteError `unknown_feed`, `invalid_definition` for values that do not fit, naming the first records;
   *   `register_busy` while another process works on the register
   */
  retype(feedId: string, types: ReadonlyMap<string, FieldType>, options: WaitOptions = {}): Promise<RegisterEntry> {
    return retypeFields(this.#store, feedId, types, { ...options, what: 'register retype', now: this.#now });
  }

  /**
   * Renames a field. No record gets a version; files may have the column under either name.
   *
   * @throws GazetteError `unknown_feed`, `invalid_definition` for a name that is taken; `register_busy` while another
   *   process works on the register
   */
  renameField(feedId: string, from: string, to: string, options: WaitOptions = {}): Promise<RegisterEntry> {
    const hold = { ...options, what: 'register rename-field', now: this.#now };
    return renameField(this.#store, feedId, { from, to }, hold);
  }

  /**
   * Removes a register with its records and their history. It cannot be undone.
   *
   * @throws GazetteError `unknown_feed`, `register_busy` while another process works on the register
   */
  async remove(feedId: string, options: WaitOptions = {}): Promise<void> {
    // A register whose removal was interrupted cannot be held: the store completes the removal.
    if ((await this.#store.register(feedId)) === null) return this.#store.removeRegister(feedId);
    const hold = { ...options, what: 'register remove', ofMirror: true, now: this.#now };
    await holdRegister(this.#store, feedId, hold, async (held) => {
      try {
        await held.write((under) => this.#store.removeRegister(feedId, under));
      } catch (error) {
        // The answer was lost, and the lease went with the register.
        if (!isGazetteError(error, 'import_superseded') || (await this.#store.register(feedId)) !== null) throw error;
      }
    });
  }

  /**
   * A new field whose label is the publisher's name: statements hold its values already, under the name that an import
   * gave that property.
   */
  async #withHeldNames(before: RegisterDefinition, after: RegisterDefinition): Promise<RegisterDefinition> {
    const taken = new Set(after.fields.flatMap(statementNames));
    const known = new Set(before.fields.map(({ name }) => name));
    const asked = after.fields
      .filter(({ name }) => !known.has(name))
      .flatMap(({ name, label }) => {
        const held = asciiName(label);
        return held === null || taken.has(held) ? [] : [{ name, label, held }];
      });
    if (asked.length === 0) return after;
    const found = new Map<string, string>();
    const fields = asked.map(({ held, label }): Field => ({ name: held, label, type: 'json' }));
    for await (const { records } of pages(await this.#store.source(after.id, { fields }))) {
      for (const { name, held } of asked) {
        if (records.some(({ data }) => (data[held] ?? null) !== null)) found.set(name, held);
      }
      if (found.size === asked.length) break;
    }
    return { ...after, fields: withHeldNames(after.fields, found) };
  }
}

/**
 * The definition of a new register, created at `now` (milliseconds since 1970) unless it states otherwise.
 *
 * @throws GazetteError `invalid_definition`
 */
export function defineNew(
  feedId: string,
  description: RegisterDescription,
  now: number = Date.now(),
): RegisterDefinition {
  return definitionFrom(feedId, description, { created_at: new Date(now).toISOString() });
}

/** @throws GazetteError `invalid_definition`, naming the whole definition if there is one */
function definitionFrom(
  feedId: string,
  { members, whole }: RegisterDescription,
  defaults: Partial<DefinitionInput>,
): RegisterDefinition {
  if (whole === undefined) return defineRegister({ ...defaults, ...members, id: feedId } as DefinitionInput);
  const definition = defineFrom(whole.value, whole.name, members, { ...defaults, id: feedId });
  if (definition.id === feedId) return definition;
  throw new GazetteError(
    'invalid_definition',
    `${whole.name}: id is ${quote(definition.id)}, but the register is ${quote(feedId)}`,
    { details: { member: 'id' } },
  );
}

/**
 * A definition from a value of any type, for example from a file. Its member `$schema` is for editors alone.
 *
 * @param name what messages call the value
 * @param changes members that replace the value's
 * @param defaults members that the value may leave out
 * @throws GazetteError `invalid_definition`
 */
export function defineFrom(
  value: unknown,
  name: string,
  changes: Partial<DefinitionInput>,
  defaults: Partial<DefinitionInput> = {},
): RegisterDefinition {
  try {
    // A value that is not an object is refused by defineRegister.
    if (!isObject(value)) return defineRegister(value as DefinitionInput);
    const { $schema, ...members } = value;
    if ($schema !== undefined && typeof $schema !== 'string') {
      throw new GazetteError('invalid_definition', `$schema must be text, got ${quote($schema)}`);
    }
    return defineRegister({ ...defaults, ...members, ...changes } as DefinitionInput);
  } catch (error) {
    throw isGazetteError(error, 'invalid_definition')
      ? new GazetteError(error.code, `${name}: ${error.message}`, { cause: error, details: error.details })
      : error;
  }
}

function nothingToSell(feedId: string): GazetteError {
  return new GazetteError(
    'invalid_definition',
    `register ${feedId} is open: everybody reads all of its records, so none can be sold; gazette register update ${feedId} --access tiered closes it`,
    { details: { feed_id: feedId } },
  );
}
