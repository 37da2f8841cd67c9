// `/desk/new/{upload}`: the register that can be made of a file, and the forms that change, make, propose or discard it.
import { GazetteError, isGazetteError } from '../../errors.ts';
import { omit } from '../../import/from-file/file-options.ts';
import { digestOf, type NewRegisters } from '../../operate/desk/new-registers.ts';
import { choicesOf, chosenBy, namesIn, readingOfPlan } from '../../operate/desk/reading-choices.ts';
import type { Chosen, FoundUpload } from '../../operate/desk/upload-folder.ts';
import { DEFINITION_PATTERNS, isFeedId } from '../../register/definition.ts';
import type { Sent } from '../../templates/account/parts.ts';
import { newRegisterPage, REGISTER_FORM } from '../../templates/desk/new-register-page.ts';
import type { DeskMakingTexts } from '../../templates/languages/desk/making-en.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageRoute } from '../services.ts';
import { doneAt, pageAnswer, saidIn, seeOther } from '../sign-in/answers.ts';
import { deskFrame, forEditor, forEditorsForm } from './answers.ts';
import type { DeskRequest, DeskServices } from './services.ts';
import { NEW_REGISTER, showState } from './upload.ts';

const PATH = `${NEW_REGISTER.path}/{upload}`;

/** The longest title that is taken. */
const MAX_TITLE = 1000;

/** The page, and its forms. */
export function newRegisterRoutes(services: DeskServices, makes: NewRegisters): readonly PageRoute[] {
  const shared = { access: 'public', documentation: null } as const;
  return [
    {
      ...{ ...shared, path: PATH, methods: ['GET', 'HEAD', 'POST'] },
      answer: (context, { upload: id }) =>
        context.request.method === 'POST'
          ? forEditorsForm(services, context, (request, fields) => change(services, makes, request, id!, fields))
          : forEditor(services, context, async (request) => {
              const found = await makes.find(request.editor, id!);
              // It is long over, another's, or another machine has it.
              if (found === null) return seeOther(context, NEW_REGISTER.back);
              if (found.upload.state !== 'found') return showState(services, request, NEW_REGISTER, found.upload);
              return show(services, makes, request, found, null);
            }),
    },
    {
      ...{ ...shared, path: `${PATH}/discard`, methods: ['POST'] },
      answer: (context, { upload: id }) =>
        forEditorsForm(services, context, async ({ editor }) => {
          await makes.discard(editor, id!);
          return doneAt(context, NEW_REGISTER.back, 'discarded');
        }),
    },
  ];
}

/** Does what the form of a register says: what was changed is looked at first. */
async function change(
  services: DeskServices,
  makes: NewRegisters,
  request: DeskRequest,
  id: string,
  fields: URLSearchParams,
): Promise<HttpResponse> {
  const { context, editor } = request;
  const path = `${NEW_REGISTER.path}/${id}`;
  const found = await makes.find(editor, id);
  if (found?.upload.state !== 'found') return seeOther(context, path);
  const refused = (field: string | null, problem: keyof DeskMakingTexts['problems']): HttpResponse => {
    const text = deskFrame(request, services).wording.desk.making.problems[problem];
    return show(services, makes, request, found, {
      problem: { form: REGISTER_FORM, field, text, detail: null },
      fields,
    });
  };
  if (fields.get('digest') !== digestOf(found)) return refused(null, 'outdated');
  const { upload } = found;
  const isMade = fields.get('do') === 'make';
  try {
    if (upload.who === editor.name && !upload.isAsked) {
      const title = (fields.get('register-title') ?? '').trim();
      const feedId = (fields.get('feed') ?? '').trim();
      if (title === '' || title.length > MAX_TITLE) return refused('register-title', 'untitled');
      if (!isFeedId(feedId)) return refused('feed', 'feed');
      if ((await services.store.register(feedId)) !== null) return refused('feed', 'exists');
      const chosen = chosenIn(found, fields, { title, feedId });
      if (chosen === null && !isMade) return doneAt(context, path, 'same');
      if (chosen !== null) {
        await makes.look(editor, id, chosen);
        return isMade ? doneAt(context, path, 'changed') : seeOther(context, path);
      }
      if (!makes.mayMake(editor, upload)) {
        await makes.ask(editor, id);
        return doneAt(context, path, 'asked');
      }
    }
    await makes.make(editor, id, digestOf(found));
    return seeOther(context, path);
  } catch (error) {
    if (isGazetteError(error, 'register_exists')) return refused('feed', 'exists');
    if (isGazetteError(error, 'not_found')) return seeOther(context, path);
    throw error;
  }
}

/** What a form chooses; null where that is what is shown. */
function chosenIn(
  { upload }: FoundUpload,
  fields: URLSearchParams,
  { title, feedId }: { readonly title: string; readonly feedId: string },
): Chosen | null {
  const plan = upload.plan!;
  const access = fields.get('access') === 'tiered' ? 'tiered' : 'open';
  const written = fields.get('language') ?? '';
  const language = DEFINITION_PATTERNS.language.test(written) ? written : null;
  const read = chosenBy(fields, upload.chosen, readingOfPlan(plan));
  const isSame = title === plan.title && feedId === plan.feedId && access === plan.access && language === plan.language;
  if (read === null && isSame) return null;
  const known = omit(read ?? upload.chosen, ['language']);
  return { ...known, title, feedId, access, ...(language === null ? {} : { language }) };
}

function show(
  services: DeskServices,
  makes: NewRegisters,
  request: DeskRequest,
  found: FoundUpload,
  sent: Sent | null,
): HttpResponse {
  const { context, editor } = request;
  const { id, upload } = found;
  const { plan, who, file, reason, isAsked } = upload;
  if (plan === null) throw new GazetteError('not_found', 'nothing is known of this file');
  const { answer, feedId, title, language, access } = plan;
  const isOwn = who === editor.name;
  const own = deskFrame(request, services);
  const { making } = own.wording.desk;
  const frame = {
    ...own,
    said: sent === null ? saidIn(context, own, { ...making.done, changed: making.changed }) : null,
  };
  const mayMake = makes.mayMake(editor, upload);
  const document = newRegisterPage(frame, {
    ...{ id, file, who, feedId, title, language, access, reason, sent },
    ...{ columns: answer.columns, first: answer.first, remarks: answer.remarks, fields: answer.definition.fields },
    ...{ records: answer.records - answer.refused, refused: answer.refused },
    choices: choicesOf(readingOfPlan(plan)),
    chosen: namesIn(upload.chosen),
    digest: digestOf(found),
    may: !isOwn ? 'approve' : isAsked ? 'wait' : mayMake ? 'make' : 'ask',
  });
  return pageAnswer(context, document, { ...frame, status: sent === null ? 200 : 422 });
}
