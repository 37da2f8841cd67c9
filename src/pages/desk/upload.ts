// The pages on which files are uploaded, and of what becomes of them: `/desk/feeds/{feed}/upload` and `…/uploads/{upload}` for a
// register, `/desk/new` for one that is to be made.
import { actorOf, checkMay } from '../../operate/desk/editors.ts';
import type { Upload } from '../../operate/desk/upload-folder.ts';
import type { Uploads } from '../../operate/desk/uploads.ts';
import { deskImportPath, deskRegisterPath, NEW_REGISTER_PATH } from '../../templates/desk/parts.ts';
import { type UploadPlace, uploadPage, uploadStatePage } from '../../templates/desk/upload-page.ts';
import { checkOwnPage } from '../../web/own-page.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { SCRIPT_FILE } from '../assets.ts';
import { rootOf } from '../frame.ts';
import type { PageContext, PageRoute } from '../services.ts';
import { pageAnswer, saidIn, seeOther } from '../sign-in/answers.ts';
import { SESSION_FORMS } from '../sign-in/door.ts';
import { checkFormToken } from '../sign-in/session.ts';
import { deskFrame, forEditor, registerFor } from './answers.ts';
import type { DeskRequest, DeskServices } from './services.ts';
import { checkUpload, writeUploadedFile } from './uploaded-file.ts';

/** How often a browser looks what has become of a file, in seconds. */
const LOOK_EVERY_SECONDS = 2;

/** Where files are uploaded of which registers are made. */
export const NEW_REGISTER: UploadPlace = { path: NEW_REGISTER_PATH, back: '/desk', definition: null };

/** Where a file is uploaded, and what is led to when it has come. */
interface Uploading extends UploadPlace {
  readonly statePath: string;
}

/** The pages. */
export function uploadRoutes(services: DeskServices, uploads: Uploads): readonly PageRoute[] {
  const shared = { access: 'public', documentation: null } as const;
  const placeFor = async (request: DeskRequest, feedId: string): Promise<Uploading> => {
    const { definition } = await registerFor(request, services, 'change', feedId);
    const back = deskRegisterPath(definition.id);
    return { path: `${back}/upload`, back, definition, statePath: `${back}/uploads` };
  };
  return [
    {
      ...{ ...shared, path: '/desk/feeds/{feed}/upload', methods: ['GET', 'HEAD', 'POST'] },
      answer: (context, { feed: feedId }) =>
        uploading(services, uploads, context, (request) => placeFor(request, feedId!)),
    },
    {
      ...{ ...shared, path: NEW_REGISTER.path, methods: ['GET', 'HEAD', 'POST'] },
      answer: (context) =>
        uploading(services, uploads, context, async ({ editor }) => {
          checkMay(editor, 'make', '');
          return { ...NEW_REGISTER, statePath: NEW_REGISTER.path };
        }),
    },
    {
      ...{ ...shared, path: '/desk/feeds/{feed}/uploads/{upload}' },
      answer: (context, { feed: feedId, upload: id }) =>
        forEditor(services, context, async (request) => {
          const place = await placeFor(request, feedId!);
          const found = await uploads.find(id!);
          // It is long over, or another machine has it.
          if (found?.upload.feedId !== place.definition!.id) return seeOther(context, place.back);
          return showState(services, request, place, found.upload);
        }),
    },
  ];
}

/** What becomes of a file, or the page of its proposal. */
export function showState(
  services: DeskServices,
  request: DeskRequest,
  place: UploadPlace,
  upload: Upload,
): HttpResponse {
  const { context } = request;
  const { state, feedId, number } = upload;
  if (state === 'proposed') return seeOther(context, deskImportPath(feedId!, number!));
  const frame = deskFrame(request, services);
  const answer = pageAnswer(context, uploadStatePage(frame, place, upload), frame);
  if (state === 'failed') return answer;
  return { ...answer, headers: { ...answer.headers, refresh: String(LOOK_EVERY_SECONDS) } };
}

function uploading(
  services: DeskServices,
  uploads: Uploads,
  context: PageContext,
  placeFor: (request: DeskRequest) => Promise<Uploading>,
): Promise<HttpResponse> {
  const isSent = context.request.method === 'POST';
  if (isSent) checkOwnPage(context);
  return forEditor(services, context, async (request) => {
    // What is sent has its token in the address, so that it is checked before the first byte is kept.
    if (isSent) checkFormToken(context.parameters.get('form'), { secret: request.secret, purpose: SESSION_FORMS });
    const place = await placeFor(request);
    return isSent ? await take(services, uploads, request, place) : showForm(services, uploads, request, place, false);
  });
}

async function take(
  services: DeskServices,
  uploads: Uploads,
  request: DeskRequest,
  place: Uploading,
): Promise<HttpResponse> {
  const { context, editor } = request;
  const { maxBytes } = uploads;
  const feedId = place.definition?.id ?? null;
  checkUpload(context.request, maxBytes);
  const taken = await uploads.take({ feedId, who: editor.name }, async (path) => {
    const name = await writeUploadedFile(context.request, path, maxBytes);
    return name === '' ? null : name;
  });
  if (taken === null) return showForm(services, uploads, request, place, true);
  await services.editors.note(actorOf(editor), 'uploaded', { feed: feedId, subject: taken.file });
  return seeOther(context, `${place.statePath}/${taken.id}`);
}

/** @param isEmpty whether it was sent without a file */
function showForm(
  services: DeskServices,
  { maxBytes, maxUnpacked }: Uploads,
  request: DeskRequest,
  place: UploadPlace,
  isEmpty: boolean,
): HttpResponse {
  const { context } = request;
  const own = deskFrame(request, services);
  const frame = { ...own, said: saidIn(context, own, own.wording.desk.making.done) };
  const script = `${rootOf(context)}/assets/${SCRIPT_FILE}`;
  const document = uploadPage(frame, place, { maxBytes, maxUnpacked, isEmpty, script });
  return withScript(context, pageAnswer(context, document, { ...frame, status: isEmpty ? 422 : 200 }));
}

/** This page alone runs a script, which shows how much has been sent, and asks nobody else. */
function withScript({ headers }: PageContext, answer: HttpResponse): HttpResponse {
  const policy = `${headers['content-security-policy'] ?? ''}; script-src 'self'; connect-src 'self'`;
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': policy } };
}
