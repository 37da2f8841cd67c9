// What somebody sees who sends a form again that was done: nothing secret is shown twice.
import { markup } from '../markup.ts';
import { type OwnerFrame, ownerPage } from './parts.ts';

/** The page. */
export function againPage(frame: OwnerFrame): string {
  const { form, navigation } = frame.wording.account;
  const main = markup`<h1>${form.againTitle}</h1>
<p class="lead">${form.again}</p>
<p><a class="button" href="${frame.at('/account')}">${navigation.overview}</a></p>`;
  return ownerPage(frame, { title: form.againTitle, section: '/account', main });
}
