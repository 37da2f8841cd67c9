// The pages on the way into an account: asking for a link, and using it. They say the same whether an account exists or not.
import { attribute, type Frame, layout } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { button, form, type OwnerFrame, problemNote, type Sent, textField } from './parts.ts';

/** The frame of a page before somebody is signed in. */
export type SignInFrame = Frame & Pick<OwnerFrame, 'at' | 'token' | 'said'>;

/**
 * Where a link is asked for.
 *
 * @param options `hasMail`: whether links are sent by e-mail; else the publisher hands them out
 */
export function askPage(
  frame: SignInFrame,
  { hasMail, sent = null }: { readonly hasMail: boolean; readonly sent?: Sent | null },
): string {
  const texts = frame.wording.account.signIn;
  const main = markup`${frame.said === null ? NOTHING : markup`<p class="note" role="status">${frame.said}</p>\n`}${problemNote(
    frame,
    sent?.problem ?? null,
  )}<div class="narrow">
<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${
  hasMail
    ? form(
        frame,
        { id: 'ask', action: '/sign-in' },
        markup`${textField({
          ...{ form: 'ask', name: 'email', label: texts.email, hint: texts.emailHint, sent },
          ...{ type: 'email', isRequired: true, autocomplete: 'email' },
        })}${button(texts.send)}`,
      )
    : askPublisher(frame)
}
</div>`;
  return layout(frame, { title: texts.title, main, current: 'account', isHidden: true });
}

/** What is said after a link was asked for, whatever the address was. */
export function linkSentPage(frame: SignInFrame): string {
  const texts = frame.wording.account.signIn;
  const main = markup`<div class="narrow">
<h1>${texts.sentTitle}</h1>
<p class="lead">${texts.sent}</p>
<p>${texts.sentHint}</p>
<p><a href="${frame.at('/sign-in')}">${texts.again}</a></p>
</div>`;
  return layout(frame, { title: texts.sentTitle, main, current: 'account', isHidden: true });
}

/** Where a link leads: a page that changes nothing, with a button that uses the link up. */
export function confirmPage(frame: SignInFrame, { path, accountId }: ConfirmParts): string {
  const texts = frame.wording.account.signIn;
  const main = markup`${problemNote(frame, null)}<div class="narrow">
<h1>${texts.confirmTitle}</h1>
<p class="lead">${texts.confirm} <strong>${accountId}</strong>.</p>
${form(frame, { id: 'sign-in', action: path }, button(texts.button))}
<p class="quiet small after">${texts.confirmHint}</p>
</div>`;
  return layout(frame, { title: texts.confirmTitle, main, current: 'account', isHidden: true });
}

/** What a {@link confirmPage} shows. */
export interface ConfirmParts {
  /** The path of the link. */
  readonly path: string;
  readonly accountId: string;
}

/** What a link shows that does not work: the same whether it ever did. */
export function endedPage(frame: SignInFrame, { hasMail }: { readonly hasMail: boolean }): string {
  const texts = frame.wording.account.signIn;
  const main = markup`<div class="narrow">
<h1>${texts.endedTitle}</h1>
<p class="lead">${texts.ended}</p>
${hasMail ? markup`<p><a href="${frame.at('/sign-in')}">${texts.again}</a></p>` : askPublisher(frame)}
</div>`;
  return layout(frame, { title: texts.endedTitle, main, current: 'account', isHidden: true });
}

function askPublisher({ wording, service: { contact } }: Frame): Markup {
  const texts = wording.account.signIn;
  const href = contact === null ? null : 'url' in contact ? contact.url : `mailto:${contact.email}`;
  const link = href === null ? NOTHING : markup` <a${attribute('href', href)}>${texts.contact}</a>.`;
  return markup`<p>${texts.byOperator}${link}</p>`;
}
