// What editors need of a service: who they are, and how links to sign in are sent.
import { DeskImports } from '../operate/desk/desk-imports.ts';
import { DeskRecords } from '../operate/desk/desk-records.ts';
import { mailEditors } from '../operate/desk/editor-mail.ts';
import { Editors } from '../operate/desk/editors.ts';
import type { FourEyes } from '../operate/desk/four-eyes.ts';
import { NewRegisters } from '../operate/desk/new-registers.ts';
import { ProposalMail } from '../operate/desk/proposal-mail.ts';
import { RedactionMail } from '../operate/desk/redaction-mail.ts';
import type { UploadReading } from '../operate/desk/upload-work.ts';
import { SignInMail, type SignInMailOptions } from '../operate/sign-in-mail.ts';
import { editorSignIns } from '../operate/sign-in.ts';
import type { DeskServices } from '../pages/desk/services.ts';
import { deskImportPath, deskRecordPath, NEW_REGISTER_PATH } from '../templates/desk/parts.ts';
import { proposalMail, redactionMail, registerMail } from '../templates/desk/proposal-mail.ts';
import type { GazetteOptions } from './gazette-options.ts';
import type { OwnersOptions } from './owners.ts';

/** What the desk needs of a service. */
export interface Desk extends Omit<DeskServices, 'options'> {
  /** Sends the mails that wait, and stops what goes on behind requests. */
  close(): Promise<void>;
}

/** Puts it together. */
export function createDesk({
  store,
  now,
  mail,
  approve,
  uploads,
  uploadReading = readHere(store),
  service,
  onError,
}: Pick<OwnersOptions, 'store' | 'now' | 'mail' | 'service' | 'onError'> & {
  readonly approve: FourEyes;
  readonly uploads: GazetteOptions['uploads'];
  readonly uploadReading: UploadReading | undefined;
}): Desk {
  const signIns = editorSignIns(store, { now });
  const find: SignInMailOptions['find'] = async (email) => {
    return (await store.editors.editorsOfEmail(email)).map(({ name, email }) => ({ id: name, email }));
  };
  const sending = mail === undefined ? null : new SignInMail({ find, signIns, onError, ...mail });
  const telling =
    mail === undefined || store.isReadOnly === true
      ? null
      : new ProposalMail({
          ...{ store, approve, now, onError, ...mail },
          compose: ({ entry, feedId, title }) =>
            proposalMail(
              { entry, title },
              { service: service.title, url: (service.baseUrl ?? '') + deskImportPath(feedId, entry.number) },
            ),
        });
  const erasing =
    mail === undefined || store.isReadOnly === true
      ? null
      : new RedactionMail({
          ...{ store, now, onError, ...mail },
          compose: ({ subject, who }, title) =>
            redactionMail(
              { recordId: subject!, who: who!, title },
              { service: service.title, url: (service.baseUrl ?? '') + deskRecordPath(subject!) },
            ),
        });
  const editors = new Editors(store, { now });
  const onProposed = (): void => void telling?.send();
  const onDecided = async (): Promise<void> => taking?.tidy();
  const imports = new DeskImports({ store, editors, approve, now, onProposed, onDecided, onError });
  const onErased = async (): Promise<void> => {
    void erasing?.send();
    // Proposals that held the record are discarded, and their files go.
    await taking?.tidy();
  };
  const records = new DeskRecords({ store, editors, approve, now, onProposed, onErased });
  const making =
    uploads === undefined
      ? null
      : new NewRegisters({
          ...{ store, editors, imports, approve, now, onError },
          onAsked: async ({ id, upload }, isFor) => {
            if (mail === undefined) return;
            const url = `${service.baseUrl ?? ''}${NEW_REGISTER_PATH}/${id}`;
            const asked = { register: upload.plan!.title, file: upload.file, who: upload.who };
            await mailEditors({ store, ...mail }, isFor, registerMail(asked, { service: service.title, url }));
          },
          uploads: { ...uploads, ...uploadReading },
        });
  const taking = making?.uploads ?? null;
  return {
    ...{ signIns, mail: sending, editors, imports, records, uploads: taking, makes: making, store, approve, now },
    close: async () => {
      await Promise.all([sending?.close(), imports.close(), taking?.close()]);
      await Promise.all([telling?.close(), erasing?.close()]);
    },
  };
}

/** Files are read by this process. What reads them is loaded with the first: a service may never get one. */
function readHere(store: OwnersOptions['store']): UploadReading {
  const reading = () => import('../operate/desk/stage-upload.ts');
  return {
    stage: async (upload, work) => (await reading()).stageUpload(store, upload, { usual: null, ...work }),
    plan: async (upload, work) => (await reading()).planUpload(upload, work),
  };
}
