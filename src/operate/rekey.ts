// Encrypts the signing secrets of a store again, after the operator has made another key (GAZETTE_SECRETS_KEY).
import type { DeliveryStore } from '../stores/contract/deliveries.ts';
import type { StoreInspection } from '../stores/contract/inspection.ts';
import type { SecretBox } from '../webhooks/send/secret-box.ts';

/** The parts of a store that have secrets. */
export interface StoreOfSecrets {
  readonly deliveries: Pick<DeliveryStore, 'replaceSecret'>;
  readonly inspection: Pick<StoreInspection, 'secrets'>;
}

/**
 * Encrypts every secret with the first key of the box that is not encrypted with it. Other processes may send, and
 * rotate secrets, meanwhile. If it is interrupted, run it again: it does the rest.
 *
 * @returns how many secrets were encrypted again, the prepared ones too
 * @throws GazetteError `invalid_secrets_key` when no key of the box opens a secret; then nothing was changed
 */
export async function rekeySecrets({ deliveries, inspection }: StoreOfSecrets, box: SecretBox): Promise<number> {
  let rekeyed = 0;
  // Another process may have stored a secret under an old key meanwhile, or activated one.
  for (;;) {
    const stale = (await inspection.secrets()).filter(({ secret, endpointId }) => !box.isCurrent(secret, endpointId));
    const replacements = stale.map(({ endpointId, secret: from }) => {
      return { endpointId, from, to: box.seal(box.open(from, endpointId), endpointId) };
    });
    if (replacements.length === 0) return rekeyed;
    for (const { endpointId, ...secret } of replacements) {
      if (await deliveries.replaceSecret(endpointId, secret)) rekeyed++;
    }
  }
}
