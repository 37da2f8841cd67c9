// `/desk/feeds/{feed}/records`: finds a record; `/desk/records/{record}`: corrects, withdraws, restores and erases it. What was typed
// into a form that is refused is shown again beside what is wrong.
import { type ErrorCode, GazetteError, isGazetteError } from '../../errors.ts';
import type { TextFormOptions } from '../../import/mapping/text-forms.ts';
import { mayDo } from '../../operate/desk/editors.ts';
import type { RecordWork } from '../../operate/desk/desk-records.ts';
import { coreField, STATED_FIELDS } from '../../register/fields.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { CHANGE_CAUSES } from '../../stores/contract/imports/causes.ts';
import type { StoredRecord } from '../../stores/contract/registers.ts';
import type { FormProblem, Sent } from '../../templates/account/parts.ts';
import { deskErasePage } from '../../templates/desk/erase-page.ts';
import { deskImportPath, deskRecordPath } from '../../templates/desk/parts.ts';
import { deskRecordPage } from '../../templates/desk/record-page.ts';
import { deskRecordsPage, RECORD_PARAMETER } from '../../templates/desk/records-page.ts';
import type { DeskTexts } from '../../templates/languages/desk/en.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageRoute } from '../services.ts';
import { doneAt, pageAnswer, saidIn, seeOther } from '../sign-in/answers.ts';
import { deskFrame, forEditor, forEditorsForm, registerFor } from './answers.ts';
import { changedIn, type RecordForm, recordForm, typedAgain } from './record-form.ts';
import type { DeskRequest, DeskServices } from './services.ts';

const PATH = '/desk/records/{record}';
const SHARED = { access: 'public', documentation: null } as const;

/** How readers of a language write numbers and dates, where it is not as in JSON. */
const FORMS: Readonly<Record<string, TextFormOptions>> = { de: { decimalComma: true, dateFormat: 'DD.MM.YYYY' } };

/** The pages, and their forms. */
export function deskRecordRoutes(services: DeskServices): readonly PageRoute[] {
  const { records } = services;
  return [
    {
      ...{ ...SHARED, path: '/desk/feeds/{feed}/records' },
      answer: (context, { feed: feedId }) =>
        forEditor(services, context, async (request) => {
          const { definition } = await registerFor(request, services, 'see', feedId!);
          const text = (context.parameters.get(RECORD_PARAMETER) ?? '').trim();
          const found = await records.search(request.editor, definition.id, text);
          if (typeof found === 'string') return seeOther(context, deskRecordPath(found));
          const frame = deskFrame(request, services);
          return pageAnswer(context, deskRecordsPage(frame, { definition, text, found }), frame);
        }),
    },
    {
      ...{ ...SHARED, path: PATH },
      answer: (context, { record: id }) =>
        forEditor(services, context, async (request) => show(request, services, await found(request, services, id!))),
    },
    ...(['correct', 'withdraw', 'restore'] as const).map((kind) => acting(services, kind)),
    {
      ...{ ...SHARED, path: `${PATH}/erase`, methods: ['GET', 'HEAD', 'POST'] },
      async answer(context, { record: id }) {
        if (context.request.method !== 'POST') {
          return forEditor(services, context, (request) => askToErase(request, services, id!, null));
        }
        return forEditorsForm(services, context, async (request, fields) => {
          const { records: texts } = deskFrame(request, services).wording.desk;
          const refuse = (field: string | null, text: string): Promise<HttpResponse> =>
            askToErase(request, services, id!, { fields, problem: { form: 'erase', field, text, detail: null } });
          if (fields.get('confirmed') !== 'yes') return refuse('confirmed', texts.erase.missing);
          try {
            const discarded = await records.erase(request.editor, id!);
            const done = discarded.length === 0 ? 'erased' : 'discarding';
            return doneAt(context, deskRecordPath(id!), done, discarded);
          } catch (error) {
            if (!isGazetteError(error, 'register_busy')) throw error;
            return refuse(null, texts.problems.register_busy);
          }
        });
      },
    },
  ];
}

/** A record with its register. */
interface Found {
  readonly definition: RegisterDefinition;
  readonly stored: StoredRecord;
}

async function found(request: DeskRequest, services: DeskServices, id: string): Promise<Found> {
  const stored = await services.records.find(request.editor, id);
  return { stored, definition: (await registerFor(request, services, 'see', stored.feedId)).definition };
}

/** A form that does something with a record. */
function acting(services: DeskServices, kind: RecordWork['kind']): PageRoute {
  return {
    ...{ ...SHARED, path: `${PATH}/${kind}`, methods: ['POST'] },
    answer: (context, { record: id }) =>
      forEditorsForm(services, context, async (request, fields) => {
        const version = Number(fields.get('read'));
        if (!Number.isSafeInteger(version) || version < 1)
          throw new GazetteError('form_expired', 'the form says of no version that it was read');
        const before = await found(request, services, id!);
        try {
          const work = kind === 'correct' ? await correction(request, services, before, version, fields) : { kind };
          const { number, isProposed } = await services.records.change(request.editor, id!, { ...work, version });
          return isProposed
            ? doneAt(context, deskImportPath(before.stored.feedId, number), 'waits')
            : doneAt(context, deskRecordPath(id!), kind);
        } catch (error) {
          const now = await found(request, services, id!);
          const { desk } = deskFrame(request, services).wording;
          const problem = problemOf(error, kind, now.definition, desk);
          return show(request, services, now, { version, fields, problem });
        }
      }),
  };
}

function formsOf(request: DeskRequest, services: DeskServices): TextFormOptions {
  return FORMS[deskFrame(request, services).wording.language] ?? {};
}

/** A correction, without the version that was read. */
type CorrectWork = Pick<Extract<RecordWork, { kind: 'correct' }>, 'kind' | 'values' | 'cause' | 'forms'>;

/** The form of a record, as the reader writes. */
function formOf(
  request: DeskRequest,
  services: DeskServices,
  { definition }: Found,
  record: StoredRecord['record'],
): RecordForm | null {
  return record === null ? null : recordForm(definition, record, formsOf(request, services).decimalComma === true);
}

/** What a form sets. @throws GazetteError `item_changed`; `invalid_option` for a form that sets nothing, or does not say why */
async function correction(
  request: DeskRequest,
  services: DeskServices,
  before: Found,
  version: number,
  fields: URLSearchParams,
): Promise<CorrectWork> {
  const form = before.stored.version === version ? formOf(request, services, before, before.stored.record) : null;
  if (form === null) throw new GazetteError('item_changed', 'the record has another version');
  const cause = CHANGE_CAUSES.find((one) => one === fields.get('cause'));
  if (cause === undefined) {
    throw new GazetteError('invalid_option', 'a correction says why', { details: { option: 'cause' } });
  }
  const changed = changedIn(form, fields);
  if (changed.size === 0) throw new GazetteError('invalid_option', 'the form sets nothing');
  const values = new Map([...changed].map(([name, { value }]) => [name, value]));
  return { kind: 'correct', values, cause, forms: formsOf(request, services) };
}

/** Codes that the page of the record answers. */
const ANSWERED: readonly ErrorCode[] = ['item_changed', 'invalid_record', 'invalid_option', 'register_busy'];

/** What is wrong with a form. @throws `error` itself where it is nothing that the page answers */
function problemOf(error: unknown, form: string, { fields }: RegisterDefinition, { records }: DeskTexts): FormProblem {
  if (!(error instanceof GazetteError && ANSWERED.includes(error.code))) throw error;
  const { code, details } = error;
  const problem = (field: string | null, text: string): FormProblem => ({ form, field, text, detail: null });
  if (code === 'invalid_record') {
    const name = String(details.field ?? '');
    const own = fields.find((field) => OWN_PREFIX + field.name === name);
    const core = STATED_FIELDS.find((one) => one === name);
    if (own !== undefined) return problem(name, records.invalid[own.type]);
    if (core === undefined) return problem(null, records.invalid.other);
    const { type, nullable } = coreField(core);
    return problem(name, type === 'text' && !nullable ? records.invalid.required : records.invalid[type]);
  }
  if (details.option === 'cause') return problem('cause', records.problems.cause);
  return problem(null, records.problems[code as keyof typeof records.problems]);
}

/** The page. @param refused a form that was sent in vain, made of a version */
async function show(
  request: DeskRequest,
  services: DeskServices,
  now: Found,
  refused: (Sent & { readonly version: number }) | null = null,
): Promise<HttpResponse> {
  const { context, editor } = request;
  const { definition, stored } = now;
  const own = deskFrame(request, services);
  const frame = { ...own, said: refused === null ? saidIn(context, own, own.wording.desk.records.done) : null };
  const form = stored.state === 'live' ? formOf(request, services, now, stored.record) : null;
  const meanwhile = new Map<string, string>();
  let sent: Sent | null = refused;
  if (refused !== null && form !== null && refused.version !== stored.version) {
    const read = await services.records.before(stored, refused.version);
    const before = formOf(request, services, now, read) ?? form;
    const said = new Map(before.fields.map(({ name, value }) => [name, value]));
    for (const { name, value } of form.fields) if (said.get(name) !== value) meanwhile.set(name, value);
    sent = { ...refused, fields: typedAgain(form, before, refused.fields) };
  }
  const document = deskRecordPage(frame, {
    ...{ definition, stored, form, meanwhile, sent },
    byHand: await services.records.byHand(stored),
    mayChange: mayDo(editor, 'change', stored.feedId),
    isProposal: services.approve === 'other',
  });
  const isConflict = refused !== null && refused.problem.field === null;
  return pageAnswer(context, document, { ...frame, status: refused === null ? 200 : isConflict ? 409 : 422 });
}

async function askToErase(
  request: DeskRequest,
  services: DeskServices,
  id: string,
  sent: Sent | null,
): Promise<HttpResponse> {
  const { stored } = await found(request, services, id);
  const { definition } = await registerFor(request, services, 'change', stored.feedId);
  if (stored.state === 'redacted') return seeOther(request.context, deskRecordPath(id));
  const frame = deskFrame(request, services);
  const isAlone = services.approve === 'other';
  const document = deskErasePage(frame, { definition, stored, isAlone, areTold: services.mail !== null, sent });
  return pageAnswer(request.context, document, { ...frame, status: sent === null ? 200 : 422 });
}
