// What a plugin reads: registers as its caller sees them.
import { checkFeed, type KeyHolder } from '../../access/scopes.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import type { RegisterViews } from '../../views/registers.ts';
import type { Sight } from '../../views/sight.ts';
import type { PluginCall } from './plugin.ts';

/** What a plugin's reading goes through. */
export interface SeenStore {
  readonly store: Pick<RegisterStore, 'catalogue'>;
  readonly registers: RegisterViews;
  readonly sight: Sight<KeyHolder>;
}

/** What a caller may ask, with what was learned of the request. */
export function callOf(
  { store, registers, sight }: SeenStore,
  access: KeyHolder,
  { signal, stamp }: { readonly signal: AbortSignal; readonly stamp?: number | undefined },
): PluginCall {
  return {
    signal,
    async register(feedId) {
      checkFeed(access, feedId);
      const view = await registers.view(feedId, stamp);
      const { tier, source } = sight.of(access, view);
      return { definition: view.entry.definition, tier, source };
    },
    registers: () => store.catalogue.walk(),
  };
}
