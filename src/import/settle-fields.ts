// The fields of a register that its import finds, or has.
import { isDeepStrictEqual } from 'node:util';
import { GazetteError, quote } from '../errors.ts';
import type { Field, RegisterDefinition } from '../register/record.ts';
import { statementNames } from '../register/declared-values.ts';
import type { RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';

/** @throws GazetteError `unknown_feed` */
export async function findRegister(store: RegisterStore, feedId: string): Promise<RegisterEntry> {
  const entry = await store.register(feedId);
  if (entry !== null) return entry;
  throw new GazetteError('unknown_feed', `there is no register ${quote(feedId)}`, { details: { feed_id: feedId } });
}

/** The fields with the names under which this import's statements hold their values. */
export function withHeldNames(fields: readonly Field[], held: ReadonlyMap<string, string>): readonly Field[] {
  return fields.map((field) => {
    const name = held.get(field.name);
    if (name === undefined || statementNames(field).includes(name)) return field;
    return { ...field, source_names: [...(field.source_names ?? []), name] };
  });
}

/**
 * Refuses to give the register other fields where somebody else did while the file was read: the records were checked against the
 * earlier ones.
 *
 * @param then the register when the file was opened
 * @throws GazetteError `store_busy` where the register got other fields meanwhile
 */
export async function checkFields(
  store: RegisterStore,
  then: RegisterEntry,
  { id, fields }: RegisterDefinition,
): Promise<void> {
  const { definition } = await findRegister(store, id);
  if ([fields, then.definition.fields].some((known) => isDeepStrictEqual(definition.fields, known))) return;
  throw new GazetteError(
    'store_busy',
    `register ${quote(id)} got other fields while the file was read; nothing was imported, run the import again`,
    { details: { feed_id: id } },
  );
}
