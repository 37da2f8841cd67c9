// `/desk/feeds/{feed}/settings`: how a register is described, which fields filter, and what stops an import.
import { createHash } from 'node:crypto';
import { type ErrorCode, GazetteError } from '../../errors.ts';
import { FINDING_CODES, FINDINGS, parseFindings } from '../../import/proposals/finding-codes.ts';
import { settingsOf, type ShownSettings } from '../../operate/registers/settings.ts';
import { canonicalJson } from '../../register/canonical-json.ts';
import type { Sent } from '../../templates/account/parts.ts';
import { deskImportPath, deskRegisterPath } from '../../templates/desk/parts.ts';
import { deskSettingsPage } from '../../templates/desk/settings-page.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { PageRoute } from '../services.ts';
import { doneAt, pageAnswer } from '../sign-in/answers.ts';
import { deskFrame, forEditor, forEditorsForm, registerFor } from './answers.ts';
import type { DeskRequest, DeskServices } from './services.ts';

/** The page, and its form. */
export function deskSettingsRoute(services: DeskServices): PageRoute {
  return {
    path: '/desk/feeds/{feed}/settings',
    access: 'public',
    documentation: null,
    methods: ['GET', 'HEAD', 'POST'],
    answer: (context, { feed: feedId }) =>
      context.request.method === 'POST'
        ? forEditorsForm(services, context, (request, fields) => change(request, services, feedId!, fields))
        : forEditor(services, context, (request) => show(request, services, feedId!)),
  };
}

/** The errors that the page answers. */
const ANSWERED: readonly ErrorCode[] = ['item_changed', 'invalid_option', 'invalid_definition', 'register_busy'];

async function change(
  request: DeskRequest,
  services: DeskServices,
  feedId: string,
  fields: URLSearchParams,
): Promise<HttpResponse> {
  const { editor, context } = request;
  const read = await settingsOf(services.store, await registerFor(request, services, 'change', feedId));
  try {
    if (fields.get('read') !== digestOf(read)) {
      throw new GazetteError('item_changed', 'the settings are others than were read');
    }
    const { number, isProposed } = await services.imports.changeSettings(editor, feedId, {
      ...{ given: settingsIn(fields, read), read },
    });
    return isProposed
      ? doneAt(context, deskImportPath(feedId, number), 'waits')
      : doneAt(context, deskRegisterPath(feedId), 'set');
  } catch (error) {
    if (!(error instanceof GazetteError && ANSWERED.includes(error.code))) throw error;
    const { problems } = deskFrame(request, services).wording.desk.settings;
    const member = String(error.details.member ?? '');
    const field = fields.has(member) && Object.hasOwn(problems, member) ? member : null;
    const problem = { form: 'settings', field, text: problems[field ?? error.code]!, detail: null };
    return show(request, services, feedId, { fields, problem, code: error.code });
  }
}

async function show(
  request: DeskRequest,
  services: DeskServices,
  feedId: string,
  refused: (Sent & { readonly code: ErrorCode }) | null = null,
): Promise<HttpResponse> {
  const entry = await registerFor(request, services, 'change', feedId);
  const settings = await settingsOf(services.store, entry);
  const frame = deskFrame(request, services);
  const document = deskSettingsPage(frame, {
    ...{ definition: entry.definition, settings, usual: FINDINGS, read: digestOf(settings), sent: refused },
    isProposal: services.approve === 'other',
    isChanged: refused?.code === 'item_changed',
  });
  const status = refused === null ? 200 : refused.problem.field === null ? 409 : 422;
  return pageAnswer(request.context, document, { ...frame, status });
}

/** What a form sets. What it does not have stays. */
function settingsIn(fields: URLSearchParams, known: ShownSettings): ShownSettings {
  const written = [...fields].map(([name, text]) => [name, text.replaceAll('\r\n', '\n').trim()] as const);
  const texts: Readonly<Record<string, string>> = Object.fromEntries(written);
  const { title = '', description = '', language = '', rights = '' } = texts;
  const given = FINDING_CODES.filter((code) => fields.has(code)).map((code) => `${code}=${fields.get(code)!}`);
  return {
    ...{ title, description },
    language: language === '' ? null : language,
    rights: rights === '' ? null : rights,
    filterable: fields.getAll('filterable'),
    findings: { ...known.findings, ...parseFindings(given) },
  };
}

/** What tells settings from others. */
function digestOf(settings: ShownSettings): string {
  return createHash('sha256')
    .update(canonicalJson({ ...settings }))
    .digest('base64url');
}
