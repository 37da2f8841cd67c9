// An error, for people: what happened, what they can do, and what the service says of it in its own words.
import type { Problem } from '../problem.ts';
import { type Frame, layout } from './layout.ts';
import { markup, NOTHING } from './markup.ts';
import type { Texts } from './languages/en.ts';

/** The page of an error. */
export function errorPage(frame: Frame, problem: Problem): string {
  const { texts, language } = frame.wording;
  const kind = kindOf(problem.status);
  const heading = texts.errors.heading[kind];
  const main = markup`<div class="narrow">
<h1>${heading}</h1>
<p class="lead">${texts.errors.text[kind]}</p>
${
  problem.status >= 500
    ? NOTHING
    : markup`<p><span class="quiet">${texts.errors.detail}:</span> <span class="long"${
        language === 'en' ? NOTHING : markup` lang="en"`
      }>${problem.detail}</span></p>\n`
}<p><span class="quiet">${texts.errors.request}:</span> <code>${problem.request_id}</code></p>
<p><a href="${frame.addresses.home()}">${texts.errors.back}</a></p>
</div>`;
  return layout(frame, { title: heading, main, isHidden: true });
}

function kindOf(status: number): keyof Texts['errors']['heading'] {
  if (status === 403) return 'refused';
  if (status === 404) return 'notFound';
  if (status === 410) return 'gone';
  if (status === 429) return 'tooMany';
  if (status === 503) return 'unavailable';
  return status >= 500 ? 'failed' : 'bad';
}
