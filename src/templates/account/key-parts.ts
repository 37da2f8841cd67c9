// The parts of pages about keys: what a key is, and the fields that say what it may do.
import type { ApiKeyEntry } from '../../stores/contract/accounts.ts';
import { KEY_SCOPES } from '../../stores/rows/keys.ts';
import { type Content, markup, type Markup } from '../markup.ts';
import { timeOf } from '../wording.ts';
import { badge, checkboxes, facts, type OwnerFrame, phrase, type Sent, textField } from './parts.ts';

/** The states of a key. */
type KeyState = 'active' | 'rotated' | 'ended' | 'expired' | 'revoked';

/** A key with its state. */
export interface ShownKey {
  readonly entry: ApiKeyEntry;
  readonly state: KeyState;
  /** Whether it is for this service, so that something can be done with it. */
  readonly isOwn: boolean;
}

/** A register that can be chosen. */
export interface Choice {
  readonly id: string;
  readonly title: string;
}

const KINDS: Readonly<Record<KeyState, 'good' | 'idle' | 'bad'>> = {
  active: 'good',
  rotated: 'idle',
  ended: 'idle',
  expired: 'idle',
  revoked: 'bad',
};

/** What a key is called; its last four characters if it has no name. */
export function keyName({ wording }: OwnerFrame, { name }: ApiKeyEntry): string {
  return name ?? wording.account.keys.unnamed;
}

/** The state of a key. */
export function keyBadge({ wording }: OwnerFrame, { state }: ShownKey): Markup {
  return badge(wording.account.keys.states[state], KINDS[state]);
}

/** The facts about a key. */
export function keyFacts({ wording }: OwnerFrame, { entry, isOwn }: ShownKey): Markup {
  const texts = wording.account.keys;
  const { lastFour, createdAt, lastUsedAt, endsAt, expiresAt, scopes, feeds, limit, requests, product } = entry;
  const end = endsAt ?? expiresAt;
  const lines: (readonly [string, Content])[] = [
    [texts.endsIn, markup`<code>…${lastFour}</code>`],
    [texts.scopes, scopes.map((scope) => texts.scope[scope]).join(' · ')],
    [texts.feeds, feeds === null ? texts.allFeeds : feeds.join(', ')],
    [
      texts.limit,
      limit === null
        ? texts.limitUsual
        : phrase(texts.limitText, {
            requests: wording.number(limit.limit),
            seconds: wording.number(limit.windowSeconds),
          }),
    ],
    [texts.usedFor, wording.number(requests)],
    [texts.lastUsed, lastUsedAt === null ? texts.never : timeOf(wording, lastUsedAt)],
    [texts.created, timeOf(wording, createdAt)],
    ...(end === null ? [] : [[texts.ends, timeOf(wording, end)] as const]),
    ...(isOwn ? [] : [['', phrase(texts.product, { product })] as const]),
  ];
  return facts(lines);
}

/** The fields that say what a key may do. @param entry the key as it is; null for a new one */
export function keyFields({ wording }: OwnerFrame, { form, entry, registers, sent }: KeyFieldParts): Markup {
  const texts = wording.account.keys;
  const limit = entry?.limit;
  const number = { type: 'number', min: 1 } as const;
  return markup`${textField({ form, name: 'name', label: texts.name, hint: texts.nameHint, value: entry?.name ?? '', sent })}${checkboxes(
    {
      ...{ form, name: 'scopes', label: texts.scopes, sent },
      choices: KEY_SCOPES.map((scope) => ({ value: scope, text: texts.scope[scope] })),
      chosen: entry?.scopes ?? ['read'],
    },
  )}${checkboxes({
    ...{ form, name: 'feeds', label: texts.feeds, hint: texts.feedsHint, sent },
    choices: registers.map(({ id, title }) => ({ value: id, text: title })),
    chosen: entry?.feeds ?? [],
  })}<fieldset class="field"><legend>${texts.limit}</legend>
<p class="hint">${texts.limitHint}</p>
<div class="pair">${textField({
    ...{ form, name: 'limit', label: texts.requests, value: limit?.limit ?? '', sent },
    ...{ ...number, max: 1_000_000 },
  })}${textField({
    ...{ form, name: 'seconds', label: texts.seconds, value: limit?.windowSeconds ?? '', sent },
    ...{ ...number, max: 86_400 },
  })}</div></fieldset>
`;
}

/** Where {@link keyFields} are, and with what. */
export interface KeyFieldParts {
  readonly form: string;
  readonly entry: ApiKeyEntry | null;
  readonly registers: readonly Choice[];
  readonly sent: Sent | null;
}
