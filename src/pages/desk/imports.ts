// `/desk/feeds/{feed}/imports/{number}`: one import, and the forms that approve, discard, or take it back. What cannot be done is
// said on the page of the import as it stands now; a form that is sent once more, by a second click or from a second window, is
// answered as the first was.
import { type ErrorCode, GazetteError } from '../../errors.ts';
import { MADE_READ } from '../../import/proposals/made.ts';
import { importNumber } from '../../operate/desk/desk-imports.ts';
import { writtenBy } from '../../import/taken-back.ts';
import { hasChanges, isKnown } from '../../operate/desk/import-changes.ts';
import { mayDo } from '../../operate/desk/editors.ts';
import { mayApprove } from '../../operate/desk/four-eyes.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import type { Upload } from '../../operate/desk/upload-folder.ts';
import type { FormProblem, SignInFrame } from '../../templates/account/parts.ts';
import { AFTER_PARAMETER, deskChangesPage } from '../../templates/desk/imports/changes-page.ts';
import { deskImportPage } from '../../templates/desk/imports/import-page.ts';
import { deskImportPath } from '../../templates/desk/parts.ts';
import { saidOf, withoutOptions } from '../../templates/desk/imports/found.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageRoute } from '../services.ts';
import { doneAt, pageAnswer, saidIn } from '../sign-in/answers.ts';
import { deskFrame, forEditor, forEditorsForm, registerFor } from './answers.ts';
import { readingIn, readOtherwise } from './reading.ts';
import type { DeskRequest, DeskServices } from './services.ts';

const PATH = '/desk/feeds/{feed}/imports/{number}';

/** How soon a page asks again how far the work is, in seconds. */
const AGAIN_SECONDS = 5;

const SHA_256 = /^[0-9a-f]{64}$/;

/** What a form does. @returns the import whose page is shown then, and what it says */
type Act = (
  request: DeskRequest,
  feedId: string,
  number: number,
  fields: URLSearchParams,
) => Promise<{ readonly number: number; readonly done: 'approved' | 'discarded' | 'proposed' }>;

/** The page, and its forms. */
export function deskImportRoutes(services: DeskServices): readonly PageRoute[] {
  const { imports } = services;
  return [
    {
      ...{ path: PATH, access: 'public', documentation: null },
      answer: (context, { feed: feedId, number }) =>
        forEditor(services, context, (request) => show(request, services, feedId!, importNumber(number!))),
    },
    {
      ...{ path: `${PATH}/changes`, access: 'public', documentation: null },
      answer: (context, { feed: feedId, number }) =>
        forEditor(services, context, async (request) => {
          const { definition } = await registerFor(request, services, 'see', feedId!);
          const after = context.parameters.get(AFTER_PARAMETER) ?? '';
          const { fields, ...page } = await imports.changes(request.editor, feedId!, importNumber(number!), after);
          const frame = deskFrame(request, services);
          const parts = {
            ...{ ...page, definition: { ...definition, fields }, isFirst: after === '' },
            isKnown: isKnown(page.entry),
          };
          return pageAnswer(context, deskChangesPage(frame, parts), frame);
        }),
    },
    acting(services, 'approve', async ({ editor }, feedId, number, fields) => {
      const digest = fields.get('digest') ?? '';
      // Without the digest of what was read, nothing was.
      if (!SHA_256.test(digest))
        throw new GazetteError('form_expired', 'the form says of no proposal that it was read');
      const keepsHand = fields.get('hand') === 'keep';
      await imports.approve(editor, feedId, number, { digest: Buffer.from(digest, 'hex'), keepsHand });
      return { number, done: 'approved' };
    }),
    acting(services, 'discard', async ({ editor }, feedId, number) => {
      await imports.discard(editor, feedId, number);
      return { number, done: 'discarded' };
    }),
    {
      ...{ path: `${PATH}/read`, methods: ['POST'], access: 'public', documentation: null },
      answer: (context, { feed: feedId, number }) =>
        forEditorsForm(services, context, (request, fields) =>
          readOtherwise(services, request, feedId!, importNumber(number!), fields),
        ),
    },
    acting(services, 'undo', async ({ editor }, feedId, number) => {
      return { number: await imports.undo(editor, feedId, number), done: 'proposed' };
    }),
  ];
}

/** The errors that the page of the import answers, with what it says of them. */
const ANSWERED: readonly ErrorCode[] = ['proposal_ended', 'proposal_outdated', 'register_busy', 'invalid_option'];

const DONE = { approve: 'approved', discard: 'discarded', undo: 'proposed' } as const;

/** What somebody decided about a proposal. Null: nobody did. */
function decisionIn({ state, decidedBy }: ImportEntry): 'approved' | 'discarded' | null {
  if (decidedBy === null) return null;
  return state === 'discarded' ? 'discarded' : 'approved';
}

/** Who decided, and when it was done. */
function decidedText(
  { wording }: SignInFrame,
  { state, decidedBy, endedAt }: ImportEntry,
  decision: 'approved' | 'discarded',
): string {
  const { decided } = wording.desk.imports;
  const text = state === 'completed' ? decided.done : decided[decision];
  const date = endedAt === null ? '' : wording.date(endedAt);
  return text.replace('{name}', () => decidedBy!).replace('{date}', date);
}

function acting(services: DeskServices, action: 'approve' | 'discard' | 'undo', act: Act): PageRoute {
  return {
    ...{ path: `${PATH}/${action}`, methods: ['POST'], access: 'public', documentation: null },
    answer: (context, { feed: feedId, number: text }) =>
      forEditorsForm(services, context, async (request, fields) => {
        const number = importNumber(text!);
        try {
          const { number: shown, done } = await act(request, feedId!, number, fields);
          return doneAt(context, deskImportPath(feedId!, shown), done);
        } catch (error) {
          if (!(error instanceof GazetteError && ANSWERED.includes(error.code))) throw error;
          if (error.code === 'proposal_ended') {
            const { entry } = await services.imports.find(request.editor, feedId!, number);
            const [done, by] = [decisionIn(entry), entry.decidedBy];
            if (done === DONE[action] && by === request.editor.name) {
              return doneAt(context, deskImportPath(feedId!, number), done);
            }
          }
          return show(request, services, feedId!, number, { form: action, error });
        }
      }),
  };
}

/** Why a file is not read as was chosen last. */
function notAsChosen({ wording }: SignInFrame, upload: Upload | null): FormProblem | null {
  const reason = upload?.reason ?? null;
  if (reason === null) return null;
  const { notAsChosen } = wording.desk.making;
  const said = saidOf(wording, reason);
  const text = said === null ? notAsChosen : `${notAsChosen}. ${said.text}`;
  return { form: 'read', field: null, text, detail: withoutOptions(said === null ? reason : said.first) || null };
}

async function show(
  request: DeskRequest,
  services: DeskServices,
  feedId: string,
  number: number,
  refused: { readonly form: string; readonly error: GazetteError } | null = null,
): Promise<HttpResponse> {
  const { context, editor } = request;
  const { definition } = await registerFor(request, services, 'see', feedId);
  const found = await services.imports.find(editor, feedId, number);
  const { entry, report, fields, digest, isOutdated, progress, titles, takenBack } = found;
  const { reading, upload } = await readingIn(services, request, feedId, found);
  const own = deskFrame(request, services);
  const texts = own.wording.desk.imports;
  const frame = { ...own, said: refused === null ? saidIn(context, own, texts.done) : null };
  const { state, who, counts } = entry;
  const decision = decisionIn(entry);
  const isMade = state === 'completed' || state === 'failed' || state === 'interrupted';
  const made = writtenBy(counts);
  const canApprove = mayDo(editor, 'approve', feedId);
  const mayHere = mayApprove(editor, { number, who, feedId }, services.approve);
  const document = deskImportPage(frame, {
    ...{
      definition: { ...definition, fields },
      entry,
      report,
      isOutdated,
      progress,
      titles,
      reading,
      undoneBy: takenBack.by,
    },
    hasChanges: hasChanges(entry),
    ofFirst: isMade && made > MADE_READ ? MADE_READ : null,
    digest: digest === null ? null : Buffer.from(digest).toString('hex'),
    may: {
      approve: mayHere,
      own: canApprove && !mayHere,
      discard: canApprove,
      undo: isMade && (made > 0 || entry.kind === 'settings') && !takenBack.isWhole && mayDo(editor, 'change', feedId),
    },
    problem:
      refused === null
        ? notAsChosen(own, upload)
        : {
            ...{ form: refused.form, field: null, detail: null },
            text:
              refused.error.code === 'proposal_ended' && decision !== null
                ? decidedText(own, entry, decision)
                : texts.problems[refused.error.code as keyof typeof texts.problems],
          },
  });
  const answer = pageAnswer(context, document, { ...frame, status: refused === null ? 200 : 409 });
  const isGoing = (state === 'running' || state === 'approved') && context.request.method !== 'POST';
  if (!isGoing) return answer;
  // Not an element `meta` of the page: it is no part of what the page says.
  return { ...answer, headers: { ...answer.headers, refresh: String(AGAIN_SECONDS) } };
}
