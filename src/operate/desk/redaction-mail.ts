// Tells all who may approve changes of a register by mail that an editor erased a record, which needs no approval. A mail that is not
// taken is sent again for as long as the process runs; the log of the desk says it in any case.
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import { Notices } from '../notices.ts';
import { MAIL_HEADERS, type Mail, type MailTransport } from '../sign-in-mail.ts';
import type { Erased } from './desk-records.ts';
import { mayDo } from './editors.ts';

/** Options of {@link RedactionMail}. */
export interface RedactionMailOptions {
  readonly store: Pick<ServiceStore, 'register' | 'editors'>;
  readonly transport: MailTransport;
  /** The sender's address. */
  readonly from: string;
  /** @param title of the register */
  readonly compose: (erased: Erased, title: string) => Pick<Mail, 'subject' | 'text'>;
  /** Called with every failure. */
  readonly onError: (error: unknown) => void;
}

/** An erasure that is told, and to whom it is not told yet; null: nobody looked. */
interface WaitingMail {
  readonly erased: Erased;
  addresses: string[] | null;
}

/** Sends the mails. */
export class RedactionMail extends Notices {
  readonly #waiting: WaitingMail[];

  constructor(options: RedactionMailOptions) {
    const waiting: WaitingMail[] = [];
    super(async () => {
      const next = waiting[0];
      if (next === undefined) return false;
      const { store, transport, from, compose } = options;
      const { erased } = next;
      next.addresses ??= await addressesFor(store, erased);
      const [address] = next.addresses;
      if (address === undefined) {
        waiting.shift();
        return true;
      }
      const title = (await store.register(erased.feedId))?.definition.title ?? erased.feedId;
      await transport.sendMail({ from, to: { name: '', address }, headers: MAIL_HEADERS, ...compose(erased, title) });
      next.addresses.shift();
      return true;
    }, options.onError);
    this.#waiting = waiting;
  }

  /** Tells everybody who may approve, but the one who did it. */
  tell(erased: Erased): void {
    this.#waiting.push({ erased, addresses: null });
    void this.send();
  }
}

async function addressesFor({ editors }: RedactionMailOptions['store'], { feedId, by }: Erased): Promise<string[]> {
  const told = (await editors.editors()).filter(
    (one) => one.removedAt === null && one.name !== by.name && mayDo(one, 'approve', feedId),
  );
  // Several editors may have one address.
  return [...new Set(told.flatMap(({ email }) => email ?? []))];
}
