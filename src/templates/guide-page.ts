// The guide for those who use the data in programs: with this service's addresses, and programs that can be copied as they are.
import type { RegisterDefinition } from '../register/record.ts';
import { guideDe } from './guide/de.ts';
import { guideEn, type GuideTexts } from './guide/en.ts';
import { keySample, pagingSample, WEBHOOK_SAMPLE } from './guide/samples.ts';
import { type Frame, layout } from './layout.ts';
import { type Content, markup, type Markup, NOTHING } from './markup.ts';
import { block, code, inline, paragraph } from './parts/code.ts';
import { shortened } from './parts/excerpt.ts';
import { formOf } from './parts/filters/form.ts';
import { ownText } from './parts/texts.ts';

/** The guide in each language that there is. */
export const GUIDES: Readonly<Record<string, GuideTexts>> = { en: guideEn, de: guideDe };

/** How many requests are answered in how long. */
export interface GuideLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** What the guide names. */
export interface GuidePage {
  /** The public URLs of the service and of its API. */
  readonly site: string;
  readonly api: string;
  /** The register of the examples; null: there is none. */
  readonly feedId: string | null;
  /** Those that can be chosen for them, and the parameter that does. */
  readonly registers: readonly Pick<RegisterDefinition, 'id' | 'title' | 'language'>[];
  readonly registerParameter: string;
  readonly formats: readonly string[];
  readonly wholes: readonly string[];
  /** Null: not limited. */
  readonly perKey: GuideLimit | null;
  readonly perAddress: GuideLimit | null;
  readonly keysUrl: string | null;
  /** The last four characters of the reader's own key; null: not known. */
  readonly lastFour: string | null;
}

/** The page. */
export function guidePage(frame: Frame, page: GuidePage): string {
  const texts = GUIDES[frame.wording.language] ?? guideEn;
  const { api, site, formats, wholes, keysUrl, lastFour } = page;
  const place = { api, feedId: page.feedId ?? 'permits' };
  const feed = `${api}/feeds/${place.feedId}`;
  const { paging, ...rest } = texts;
  const reference = frame.addresses.reference();
  const sections: readonly (readonly [id: string, heading: string, content: Content])[] = [
    [
      'start',
      texts.start,
      [
        paragraph(texts.startText, { api: code(api) }),
        registerChoice(frame, texts, page),
        block(`curl "${api}/feeds"\ncurl "${feed}/records?limit=2"`),
        reference === null
          ? NOTHING
          : markup`<p>${texts.referenceLink}: <a href="${reference}">${frame.wording.texts.reference}</a>.</p>\n`,
        paragraph(texts.agents, { mcp: code(`${api}/mcp`) }),
      ],
    ],
    [
      'keys',
      texts.keys,
      [
        paragraph(texts.keysText),
        lastFour === null ? NOTHING : paragraph(texts.yourKey, { ending: code(`…${lastFour}`) }),
        keysUrl === null ? NOTHING : markup`<p><a href="${keysUrl}">${texts.getKey}</a></p>\n`,
        block(keySample(place)),
      ],
    ],
    ['paging', paging, [paragraph(rest.pagingText), samples(pagingSample(place))]],
    [
      'formats',
      texts.formats,
      [
        paragraph(texts.formatsText),
        addresses(formats, `${feed}/records/export`),
        paragraph(texts.wholeText),
        addresses(wholes, `${feed}/register`),
      ],
    ],
    [
      'feeds',
      texts.feeds,
      [
        paragraph(texts.feedsText),
        block(`${feed}/records/export.atom\n${feed}/records/export.atom?q=water`),
        paragraph(texts.feedsAll),
        block(`${site}/opml`),
      ],
    ],
    [
      'changes',
      texts.changes,
      [
        paragraph(texts.changesText),
        block(`curl -H "Authorization: Bearer $GAZETTE_KEY" \\\n  "${feed}/changes?since=0&limit=100"`),
      ],
    ],
    [
      'webhooks',
      texts.webhooks,
      [paragraph(texts.webhooksText), samples(WEBHOOK_SAMPLE), paragraph(texts.webhooksAnswer)],
    ],
    [
      'limits',
      texts.limits,
      [
        page.perKey === null && page.perAddress === null
          ? paragraph(texts.limitsNone)
          : [
              markup`<ul>\n${[limitOf(frame, texts.limitsKey, page.perKey), limitOf(frame, texts.limitsAddress, page.perAddress)]}</ul>\n`,
              paragraph(texts.limitsText),
            ],
        paragraph(texts.conditions),
      ],
    ],
    ['errors', texts.errors, paragraph(texts.errorsText)],
  ];
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
<nav class="contents" aria-label="${texts.contents}"><ul>
${sections.map(([id, heading]) => markup`<li><a href="#${id}">${heading}</a></li>\n`)}</ul></nav>
<div class="prose">
${sections.map(([id, heading, content]) => markup`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>\n${content}</section>\n`)}</div>`;
  return layout(frame, { title: texts.title, description: texts.lead, main, current: 'guide' });
}

function addresses(formats: readonly string[], path: string): Markup {
  return markup`<ul>\n${formats.map((name) => markup`<li>${code(`${path}.${name}`)}</li>\n`)}</ul>\n`;
}

/** The form that chooses the register of the examples, where there are several. */
function registerChoice({ wording, addresses }: Frame, texts: GuideTexts, page: GuidePage): Markup {
  const { feedId, registers, registerParameter } = page;
  if (registers.length < 2) return NOTHING;
  const { action, parameters } = formOf(addresses.guide() ?? '');
  const options = registers.map(({ id, title, language }) => {
    const selected = id === feedId ? markup` selected` : NOTHING;
    return markup`<option value="${id}"${ownText(wording, language)}${selected}>${shortened(title, 60)}</option>\n`;
  });
  return markup`<form class="choice" method="get" action="${action}">
<label for="register">${texts.register}</label>
<div class="with-button"><select id="register" name="${registerParameter}">
${options}</select>
<button class="plain">${texts.registerButton}</button></div>
${parameters.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`)}</form>
`;
}

function limitOf({ wording }: Frame, text: string, limit: GuideLimit | null): Markup {
  if (limit === null) return NOTHING;
  const values = { limit: wording.number(limit.limit), seconds: wording.number(limit.windowSeconds) };
  return markup`<li>${inline(text, values)}</li>\n`;
}

function samples(programs: Readonly<Partial<Record<string, string>>>): Content {
  return Object.entries(programs).map(
    ([language, program], at) =>
      markup`<details class="sample"${at === 0 ? markup` open` : NOTHING}><summary>${language}</summary>\n${block(program ?? '')}</details>\n`,
  );
}
