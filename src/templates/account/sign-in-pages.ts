// The pages on the way into an account, or to the desk: asking for a link, and using it. They say the same whether anybody
// has the address or not.
import type { SignInTexts } from '../languages/account/mail-en.ts';
import { attribute, type Frame, layout, type PageParts } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { button, form, problemNote, type Sent, type SignInFrame, textField } from './parts.ts';

/** A way in. */
export interface SignInWay {
  /** Where a link is asked for. */
  readonly path: string;
  readonly current: PageParts['current'];
  /** Whether links are sent by e-mail; else the publisher hands them out. */
  readonly hasMail: boolean;
  readonly texts: SignInTexts['signIn'];
}

/** Where a link is asked for. */
export function askPage(frame: SignInFrame, way: SignInWay, sent: Sent | null): string {
  const { texts, path } = way;
  const main = markup`${frame.said === null ? NOTHING : markup`<p class="note" role="status">${frame.said}</p>\n`}${problemNote(
    frame,
    sent?.problem ?? null,
  )}<div class="narrow">
<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${
  way.hasMail
    ? form(
        frame,
        { id: 'ask', action: path },
        markup`${textField({
          ...{ form: 'ask', name: 'email', label: texts.email, hint: texts.emailHint, sent },
          ...{ type: 'email', isRequired: true, autocomplete: 'email' },
        })}${button(texts.send)}`,
      )
    : askPublisher(frame, way)
}
</div>`;
  return signInPage(frame, way, texts.title, main);
}

/** What is said after a link was asked for, whatever the address was. */
export function linkSentPage(frame: SignInFrame, way: SignInWay): string {
  const { texts, path } = way;
  const main = markup`<div class="narrow">
<h1>${texts.sentTitle}</h1>
<p class="lead">${texts.sent}</p>
<p>${texts.sentHint}</p>
<p><a href="${frame.at(path)}">${texts.again}</a></p>
</div>`;
  return signInPage(frame, way, texts.sentTitle, main);
}

/** Where a link leads: a page that changes nothing, with a button that uses the link up. */
export function confirmPage(frame: SignInFrame, way: SignInWay, { path, name }: ConfirmParts): string {
  const { texts } = way;
  const main = markup`${problemNote(frame, null)}<div class="narrow">
<h1>${texts.confirmTitle}</h1>
<p class="lead">${texts.confirm} <strong>${name}</strong>.</p>
${form(frame, { id: 'sign-in', action: path }, button(texts.button))}
<p class="quiet small after">${texts.confirmHint}</p>
</div>`;
  return signInPage(frame, way, texts.confirmTitle, main);
}

/** What a {@link confirmPage} shows. */
export interface ConfirmParts {
  /** The path of the link. */
  readonly path: string;
  /** Whom it signs in. */
  readonly name: string;
}

/** What a link shows that does not work: the same whether it ever did. */
export function endedPage(frame: SignInFrame, way: SignInWay): string {
  const { texts, path, hasMail } = way;
  const main = markup`<div class="narrow">
<h1>${texts.endedTitle}</h1>
<p class="lead">${texts.ended}</p>
${hasMail ? markup`<p><a href="${frame.at(path)}">${texts.again}</a></p>` : askPublisher(frame, way)}
</div>`;
  return signInPage(frame, way, texts.endedTitle, main);
}

function signInPage(frame: SignInFrame, { current }: SignInWay, title: string, main: Markup): string {
  return layout(frame, { title, main, ...(current === undefined ? {} : { current }), isHidden: true });
}

function askPublisher({ service: { contact } }: Frame, { texts }: SignInWay): Markup {
  const href = contact === null ? null : 'url' in contact ? contact.url : `mailto:${contact.email}`;
  const link = href === null ? NOTHING : markup` <a${attribute('href', href)}>${texts.contact}</a>.`;
  return markup`<p>${texts.byOperator}${link}</p>`;
}
