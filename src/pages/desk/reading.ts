// How the file of a proposal was read, and the form by which an editor has it read otherwise: then another proposal takes its place.
import { mayDo } from '../../operate/desk/editors.ts';
import { choicesOf, chosenBy, readingOfReport } from '../../operate/desk/reading-choices.ts';
import { ignoredNames } from '../../import/rows/ignored-columns.ts';
import type { ShownImport } from '../../operate/desk/desk-imports.ts';
import type { Upload } from '../../operate/desk/upload-folder.ts';
import type { DeskImportParts } from '../../templates/desk/imports/import-page.ts';
import { deskImportPath, deskRegisterPath } from '../../templates/desk/parts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { doneAt, seeOther } from '../sign-in/answers.ts';
import { registerFor } from './answers.ts';
import type { DeskRequest, DeskServices } from './services.ts';

/** What the page of a proposal says of it, and the file if it is still there. */
export async function readingIn(
  services: DeskServices,
  { editor }: Pick<DeskRequest, 'editor'>,
  feedId: string,
  { entry, report, fields }: ShownImport,
): Promise<{ readonly reading: DeskImportParts['reading']; readonly upload: Upload | null }> {
  if (report?.reading === undefined) return { reading: null, upload: null };
  const isOpen = entry.state === 'proposed' && mayDo(editor, 'change', feedId);
  const { uploads } = services;
  const found = isOpen && uploads !== null ? await uploads.ofProposal(feedId, entry.number) : null;
  const ignored = await ignoredIn(services, feedId, found?.upload ?? null);
  const choices = choicesOf(readingOfReport(report.reading, entry.file, fields, ignored));
  return { reading: { choices, isChangeable: found !== null }, upload: found?.upload ?? null };
}

/**
 * Has the file of a proposal read otherwise, in the name of who chooses it.
 *
 * @throws GazetteError `unknown_feed`, `unknown_import`, `editor_refused`, `too_many_uploads`
 */
export async function readOtherwise(
  services: DeskServices,
  request: DeskRequest,
  feedId: string,
  number: number,
  fields: URLSearchParams,
): Promise<HttpResponse> {
  const { context, editor } = request;
  await registerFor(request, services, 'change', feedId);
  const { uploads, imports } = services;
  const shown = await imports.find(editor, feedId, number);
  const found = uploads === null ? null : await uploads.ofProposal(feedId, number);
  const reading = shown.report?.reading;
  const path = deskImportPath(feedId, number);
  if (uploads === null || found === null || reading === undefined || shown.entry.state !== 'proposed') {
    return doneAt(context, path, 'unread');
  }
  const present = readingOfReport(
    ...([reading, shown.entry.file, shown.fields] as const),
    await ignoredIn(services, feedId, found.upload),
  );
  const chosen = chosenBy(fields, found.upload.chosen, present);
  if (chosen === null) return doneAt(context, path, 'same');
  await uploads.again(found.id, { chosen, who: editor.name }, async (upload, work) => {
    const next = await uploads.stage({ ...upload, feedId, reading: null }, work);
    if (next !== number) await imports.discard(editor, feedId, number);
    return { state: 'proposed', number: next };
  });
  return seeOther(context, `${deskRegisterPath(feedId)}/uploads/${found.id}`);
}

/** The columns that are not taken in: those that the register ignores, and those that were chosen for this file. */
async function ignoredIn(
  { store }: Pick<DeskServices, 'store'>,
  feedId: string,
  upload: Upload | null,
): Promise<readonly string[]> {
  const { ignored } = await store.imports.basis(feedId);
  return ignoredNames([...ignored, ...(upload?.chosen.leftOut ?? [])]);
}
