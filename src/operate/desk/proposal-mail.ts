// Tells the editors of a register by mail that a proposal waits: at once, and again each day, whichever process does.
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import { Notices } from '../notices.ts';
import type { Mail } from '../sign-in-mail.ts';
import { AGAIN_MS, type EditorMailOptions, mailEditors } from './editor-mail.ts';
import { type FourEyes, mayApprove } from './four-eyes.ts';

/** A proposal that still waits is told again after this time, in milliseconds. */
const DAY_MS = 24 * 3_600_000;

/** What a mail says. */
export interface WaitingProposal {
  readonly entry: ImportEntry;
  readonly feedId: string;
  /** The register's. */
  readonly title: string;
}

/** Options of {@link ProposalMail}. */
export interface ProposalMailOptions extends EditorMailOptions {
  readonly store: Pick<ServiceStore, 'imports' | 'register' | 'editors'>;
  readonly approve: FourEyes;
  readonly compose: (proposal: WaitingProposal) => Pick<Mail, 'subject' | 'text'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with every failure. */
  readonly onError: (error: unknown) => void;
}

/** Sends the mails. */
export class ProposalMail extends Notices {
  constructor(options: ProposalMailOptions) {
    super(() => sendOne(options), options.onError);
  }
}

async function sendOne(options: ProposalMailOptions): Promise<boolean> {
  const { store, approve, compose, now } = options;
  const { proposals } = store.imports;
  const at = (ms: number): string => new Date(now() + ms).toISOString();
  const notice = await proposals.takeNotice({ now: at(0), until: at(AGAIN_MS) });
  if (notice === null) return false;
  const { number, feedId } = notice;
  const definition = (await store.register(feedId))?.definition;
  if (definition !== undefined) {
    const entry = await store.imports.find(feedId, number);
    const text = compose({ entry, feedId, title: definition.title });
    await mailEditors(options, (editor) => mayApprove(editor, { ...entry, feedId }, approve), text);
  }
  await proposals.endNotice(number, at(DAY_MS));
  return true;
}
