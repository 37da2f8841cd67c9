// An error, for people: what happened, what they can do, and what the service says of it in its own words.
import type { Problem } from '../problem.ts';
import { type Frame, layout } from './layout.ts';
import { markup, type Markup, NOTHING } from './markup.ts';
import type { Texts } from './languages/en.ts';

/** The page of an error. */
export function errorPage(frame: Frame, problem: Problem, keysUrl: string | null = null): string {
  const { texts, language } = frame.wording;
  const kind = kindOf(problem);
  const heading = texts.errors.heading[kind];
  const main = markup`<div class="narrow">
<h1>${heading}</h1>
<p class="lead">${texts.errors.text[kind]}</p>
${kind === 'needsKey' ? waysIn(frame, keysUrl) : NOTHING}${
    problem.status >= 500 || problem.status === 410
      ? NOTHING
      : markup`<p><span class="quiet">${texts.errors.detail}:</span> <span class="long"${
          language === 'en' ? NOTHING : markup` lang="en"`
        }>${problem.detail}</span></p>\n`
  }<p><span class="quiet">${texts.errors.request}:</span> <code>${problem.request_id}</code></p>
<p><a href="${frame.addresses.home()}">${texts.errors.back}</a></p>
</div>`;
  return layout(frame, { title: heading, main, isHidden: true });
}

/** How somebody gets what is not open to everybody. */
function waysIn({ wording, addresses, isSignedIn }: Frame, keysUrl: string | null): Markup {
  const { texts } = wording;
  const guide = addresses.guide();
  const links = [
    isSignedIn ? null : ([addresses.account(), texts.signIn] as const),
    [keysUrl, texts.register.getKey] as const,
    [guide === null ? null : `${guide}#keys`, texts.register.howToKey] as const,
  ].flatMap((way) => (way?.[0] === null || way === null ? [] : [way]));
  return markup`<ul>\n${links.map(([address, text]) => markup`<li><a href="${address}">${text}</a></li>\n`)}</ul>\n`;
}

function kindOf({ status, code }: Problem): keyof Texts['errors']['heading'] {
  if (status === 401 || code === 'insufficient_scope') return 'needsKey';
  if (code === 'editor_refused') return 'notYours';
  if (status === 403) return 'refused';
  if (status === 404) return 'notFound';
  if (status === 410) return 'gone';
  if (status === 429) return 'tooMany';
  if (status === 503) return 'unavailable';
  return status >= 500 ? 'failed' : 'bad';
}
