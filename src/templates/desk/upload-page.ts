// The pages of a file that an editor uploads: the form, and what becomes of the file.
import type { RegisterDefinition } from '../../register/record.ts';
import { button, type FormProblem, phrase, type SignInFrame } from '../account/parts.ts';
import { markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { ownText } from '../parts/texts.ts';
import { deskPage } from './parts.ts';
import { failureOf } from './imports/found.ts';

/** Of its form. */
const FORM = 'upload';

/** What a file is uploaded for. */
export interface UploadPlace {
  /** Where the form is sent. */
  readonly path: string;
  /** Where one comes from. */
  readonly back: string;
  /** The register. Null: one is to be made of the file. */
  readonly definition: RegisterDefinition | null;
}

/** What the form needs. */
export interface UploadParts {
  readonly maxBytes: number;
  readonly maxUnpacked: number;
  /** Whether it was sent without a file. */
  readonly isEmpty: boolean;
  /** The address of {@link UPLOAD_SCRIPT}. */
  readonly script: string;
}

/** A file, and what has become of it. */
export interface ShownUpload {
  /** Its name. */
  readonly file: string;
  readonly state: 'waiting' | 'reading' | 'found' | 'proposed' | 'failed';
  /** How many records were read so far. */
  readonly records: number;
  /** Why it failed, in English; null: nothing can be said. */
  readonly reason: string | null;
  readonly isTooLarge: boolean;
}

/** The form. */
export function uploadPage(
  frame: SignInFrame,
  { path, back, definition }: UploadPlace,
  { maxBytes, maxUnpacked, isEmpty, script }: UploadParts,
): string {
  const { wording } = frame;
  const texts = { ...wording.desk.upload, ...(definition === null ? wording.desk.making : {}) };
  const problem: FormProblem | null = isEmpty ? { form: FORM, field: 'file', text: texts.missing, detail: null } : null;
  const megabytes = (bytes: number): string => wording.number(Math.floor(bytes / 1e6));
  const action = frame.at(path, new URLSearchParams({ form: frame.token }));
  const main = markup`<h1>${texts.heading}</h1>
${definition === null ? NOTHING : markup`<p class="lead"><span${ownText(wording, definition.language)}>${shortened(definition.title, 300)}</span> <code>${definition.id}</code></p>\n`}<p>${texts.lead}</p>
<form method="post" enctype="multipart/form-data" action="${action}" id="${FORM}" class="owner-form" data-limit="${maxBytes}">
<div class="field">
<label for="upload-file">${texts.file}</label>
<p class="hint" id="upload-file-hint">${phrase(texts.hint, { megabytes: megabytes(maxBytes), unpacked: megabytes(maxUnpacked) })}</p>
${isEmpty ? markup`<p class="error" id="upload-file-error">${texts.missing}</p>\n` : NOTHING}<input type="file" id="upload-file" name="file" required aria-describedby="upload-file-hint${isEmpty ? ' upload-file-error' : ''}"${isEmpty ? markup` aria-invalid="true"` : NOTHING}>
</div>
${button(texts.send)}
<p id="upload-large" class="error" role="alert" hidden>${texts.tooLarge}</p>
<p id="upload-progress" hidden><label for="upload-sent">${texts.sending}</label> <progress id="upload-sent" max="1" value="0"></progress></p>
</form>
<p><a href="${frame.at(back)}">${texts.back}</a></p>
<script src="${script}" defer></script>`;
  return deskPage(frame, { title: texts.heading, section: '/desk', main, problem });
}

/** What becomes of a file. */
export function uploadStatePage(
  frame: SignInFrame,
  { path, back: backPath, definition }: UploadPlace,
  { file, state, records, reason, isTooLarge }: ShownUpload,
): string {
  const { wording } = frame;
  const { upload, making } = wording.desk;
  const texts = definition === null ? { ...upload, back: making.back, leave: making.readingLeave } : upload;
  const isFailed = state === 'failed';
  const title = isFailed ? texts.failedTitle : texts.readingTitle;
  const name = markup`<strong class="long">${file}</strong>`;
  const back = markup`<p><a href="${frame.at(backPath)}">${texts.back}</a></p>`;
  const main = isFailed
    ? markup`<h1>${title}</h1>
<p class="lead">${name}</p>
<div class="note warn" role="alert">${
        reason === null || isTooLarge
          ? markup`<p>${isTooLarge ? texts.unpacksTooLarge : texts.interrupted}</p>`
          : failureOf(frame, definition ?? { fields: [], language: null }, reason)
      }</div>
<p>${texts.nothing}</p>
<p><a href="${frame.at(path)}">${texts.again}</a></p>
${back}`
    : markup`<h1>${title}</h1>
<p class="lead">${name}</p>
<p role="status">${
        state === 'waiting'
          ? texts.waiting
          : records === 0
            ? texts.looking
            : phrase(texts.read, { count: wording.number(records) })
      }</p>
<p>${texts.leave}</p>
${back}`;
  return deskPage(frame, { title, section: '/desk', main });
}
