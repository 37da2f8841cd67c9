// The registers that pages are tried on: the sample register in English, a large one in German with a history, and the
// hostile ones. All of it is invented.
import { readFileSync } from 'node:fs';
import { ensurePermits } from '../../../fixtures/permits/import.ts';
import { Random } from '../../../fixtures/random.ts';
import { type DefinitionInput, defineRegister } from '../../../src/register/definition.ts';
import { type RecordInput, toRecord } from '../../../src/register/record-input.ts';
import type { RegisterDefinition } from '../../../src/register/record.ts';
import type { RegisterStore, ApplyOptions } from '../../../src/stores/contract/registers.ts';
import { toPublishedRecord } from '../../../src/stores/rows/published-record.ts';
import { HOSTILE_TEXTS } from '../../../src/testing/stores/said.ts';
import { DANGERS } from '../../pages/dangers.ts';
import { UNCLOSED } from '../../formats/feeds/unclosed.ts';

/** How many records the German register has: some sixty pages of a listing. */
export const NOTICES = 3000;

const BATCH = 500;

const GERMAN: RegisterDefinition = defineRegister({
  id: 'bekanntmachungen',
  title: 'Öffentliche Bekanntmachungen der Gewässeraufsicht',
  description:
    'Erlaubnisse, Bewilligungen und Anordnungen nach dem Wasserhaushaltsgesetz. Ein erfundenes Register zum Ausprobieren.',
  language: 'de',
  author: 'Untere Wasserbehörde Musterlandkreis',
  rights: 'Datenlizenz Deutschland Namensnennung 2.0',
  homepage: 'https://wasser.musterlandkreis.example/',
  created_at: '2024-01-02T08:00:00+01:00',
  authority: 'wasser.musterlandkreis.example',
  year: 2024,
  access: 'open',
  fields: [
    { name: 'gemeinde', label: 'Gemeinde', type: 'text', description: 'Wo das Gewässer benutzt wird.' },
    { name: 'gewaesser', label: 'Gewässer', type: 'text' },
    { name: 'gebuehr', label: 'Gebühr (EUR)', type: 'decimal', description: 'Was der Bescheid kostet.' },
    { name: 'menge', label: 'Menge (m³ im Jahr)', type: 'integer' },
    { name: 'befristet_bis', label: 'Befristet bis', type: 'date' },
    { name: 'oeffentliche_auslegung', label: 'Öffentlich ausgelegt', type: 'boolean' },
  ],
});

const PLACES = ['Ahrensfelde', 'Bad Frankenhausen', 'Grünheide (Mark)', 'Königs Wusterhausen', 'Münchehofe', 'Zeuthen'];
const WATERS = ['Dahme', 'Finowkanal', 'Mühlenfließ', 'Oder-Spree-Kanal', 'Rüdersdorfer Kalksee', 'Wublitz'];
const KINDS = ['Erlaubnis', 'Bewilligung', 'Anordnung', 'Widerruf'];
const USES = [
  'Grundwasser zu entnehmen',
  'Niederschlagswasser einzuleiten',
  'eine Sohlgleite zu bauen',
  'Wasser zu stauen',
];

/** A notice of the German register. @param index from 0, oldest first */
function notice(index: number): RecordInput {
  const random = new Random(index + 1);
  const [place, water, kind, use] = [PLACES, WATERS, KINDS, USES].map((of) => random.pick(of)) as [
    string,
    string,
    string,
    string,
  ];
  const day = new Date(Date.UTC(2024, 0, 2) + Math.floor((index * 1000) / NOTICES) * 86_400_000)
    .toISOString()
    .slice(0, 10);
  return {
    id: `${day.slice(0, 4)}/${String(index + 1).padStart(5, '0')}`,
    title: `${kind}, aus dem Gewässer ${water} ${use}, ${place}`,
    summary: `Die Wasserbehörde hat über den Antrag entschieden, am Gewässer ${water} in ${place} ${use}. Der Bescheid liegt vier Wochen lang aus.`,
    content: `Die ${kind} ergeht nach § 8 des Wasserhaushaltsgesetzes.\n\n1. Die Menge wird monatlich gemessen.\n2. Störungen sind der Behörde unverzüglich anzuzeigen.\n\nGegen diesen Bescheid kann innerhalb eines Monats Widerspruch erhoben werden.`,
    author: 'Untere Wasserbehörde Musterlandkreis',
    document_type: kind,
    facility_id: `WB-${String(random.integer(1, 400)).padStart(4, '0')}`,
    source_url: `https://wasser.musterlandkreis.example/bescheide/${index + 1}`,
    published_at: day,
    observed_at: `${day}T16:30:00Z`,
    data: {
      gemeinde: place,
      gewaesser: water,
      gebuehr: `${random.integer(90, 8400)}.${String(random.integer(0, 99)).padStart(2, '0')}`,
      menge: random.integer(100, 900_000),
      befristet_bis: random.chance(0.7) ? `${random.integer(2030, 2045)}-12-31` : null,
      oeffentliche_auslegung: random.chance(0.3),
    },
  };
}

/** What a script would do that gets into a page: the tests look for it. */
const RUN = 'window.ran=true';

/** Texts that would run, break out, or burst the layout. */
const ATTACKS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `"><img src=x onerror=${RUN}>`,
  `' onmouseover='${RUN}' autofocus onfocus='${RUN}' x='`,
  `</title><svg/onload=${RUN}>`,
  `</style></textarea></template><body onload=${RUN}>`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `]]><script>${RUN}</script>`,
  `javascript:${RUN}`,
  `<a href="javascript:${RUN}">press</a><iframe srcdoc="<script>parent.ran=true</script>"></iframe>`,
  `<base href="https://elsewhere.example/"><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">`,
  `<form action="https://elsewhere.example/"><button>Continue</button></form><style>*{display:none}</style>`,
  `{{constructor.constructor('${RUN}')()}} \${${RUN}} <%= ${RUN} %>`,
  '&lt;script&gt;&amp;amp;&#60;b&#62;&nbsp;',
  'a'.repeat(4000),
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(4),
  'https://hostile.example/' + 'x'.repeat(1500),
  '\u202eothgir morf daer\u202c \u2066isolated',
  '\u200f\u200e\u200b\u2060\ufeff',
  'العربية فقرة من اليمين إلى اليسار '.repeat(20),
  '漢字仮名交じり文'.repeat(200),
  '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🧨'.repeat(100),
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324'.repeat(60),
  '﷽'.repeat(120),
  '1234567890'.repeat(60),
  '\t\t\t  \n\n\n\n   spaces   \r\n and lines',
  'a\u00a0'.repeat(700),
  '_'.repeat(900) + '|'.repeat(900),
  'line\n'.repeat(400),
];

/** A register of attacks: each text in every place where a publisher may write text. */
function attacks(): { readonly definition: RegisterDefinition; readonly records: readonly RecordInput[] } {
  const definition = defineRegister({
    id: 'attacks',
    title: `Attacks <script>${RUN}</script> "&' ${'w'.repeat(150)}`,
    description: ATTACKS.slice(0, 8).join(' '),
    language: 'en',
    author: `"><script>${RUN}</script>`,
    rights: `javascript:${RUN}`,
    homepage: `https://hostile.example/'onclick='${RUN}'`,
    created_at: '2026-01-01T00:00:00Z',
    authority: 'hostile.example',
    year: 2026,
    access: 'open',
    fields: [
      { name: 'text', label: `<script>${RUN}</script>${'L'.repeat(120)}`, type: 'text', description: `"><b>${RUN}` },
      { name: 'json', label: `json' onclick='${RUN}`, type: 'json' },
      { name: 'amount', label: 'Amount', type: 'decimal' },
      { name: 'count', label: 'Count', type: 'integer' },
      { name: 'link', label: 'Link', type: 'url' },
    ],
  });
  const texts = [...ATTACKS, ...DANGERS, ...HOSTILE_TEXTS].filter(
    (text) => text.length < 100_000 && text.trim() !== '',
  );
  const records = texts.map((text, index): RecordInput => {
    const short = text.slice(0, 300);
    return {
      id: `attack-${index}`,
      title: text,
      summary: text,
      content: text,
      author: text,
      document_type: short,
      facility_id: short,
      source_url: `https://hostile.example/${index}?'onclick='${RUN}'`,
      published_at: '2026-05-01',
      observed_at: '2026-05-02T00:00:00Z',
      data: {
        text,
        json: { [short]: [text, { [short]: text }] },
        amount: `-${'9876543210'.repeat(40)}.5`,
        count: '1234567890'.repeat(40),
        link: `https://hostile.example/${'deep/'.repeat(300)}#'onclick='${RUN}'`,
      },
    };
  });
  const markup = [...UNCLOSED.map(([, content]) => content), ...texts];
  return {
    definition,
    records: [
      ...records,
      ...markup.map((content, index): RecordInput => ({
        id: `html-${index}`,
        title: `HTML ${index}`,
        content,
        content_type: 'html',
        source_url: 'https://hostile.example/html',
        observed_at: '2026-05-03T00:00:00Z',
      })),
    ],
  };
}

/** Fills a store with all registers. */
export async function fillRegisters(store: RegisterStore): Promise<void> {
  await ensurePermits(store);
  await say(
    store,
    GERMAN,
    Array.from({ length: NOTICES }, (_, index) => notice(index)),
    '2026-10-01T06:00:00Z',
  );
  const changed = [NOTICES - 1, NOTICES - 2, 17].map(notice);
  const later = (change: (record: RecordInput) => Partial<RecordInput>): RecordInput[] =>
    changed.map((record) => ({ ...record, ...change(record) }));
  await state(
    store,
    GERMAN,
    later(({ data }) => ({ data: { ...data, gebuehr: '12345.60' } })),
    '2026-10-02T06:00:00Z',
  );
  const added = ({ content, data }: RecordInput): Partial<RecordInput> => ({
    content: `${content ?? ''}\n\nDie Frist wurde bis zum Jahresende verlängert.`,
    data: { ...data, gebuehr: '12345.60', befristet_bis: '2046-01-31' },
  });
  await state(store, GERMAN, later(added), '2026-10-03T06:00:00Z', 'extraction_correction');
  await store.withdraw(GERMAN.id, [recordIdOf(GERMAN, notice(NOTICES - 3))], { recordedAt: '2026-10-04T06:00:00Z' });

  await fillHostile(store);
}

/** Fills a store with the hostile registers alone. */
export async function fillHostile(store: RegisterStore): Promise<void> {
  const read = (name: string): string =>
    readFileSync(new URL(`../../../fixtures/hostile/${name}`, import.meta.url), 'utf8');
  const hostile = defineRegister({ ...(JSON.parse(read('definition.json')) as DefinitionInput), access: 'open' });
  const lines = read('records.ndjson').trimEnd().split('\n');
  // A store takes Unicode text alone; the rest of these texts is as hostile.
  const whole = (line: string): string =>
    line.replaceAll(/\\ud[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..)\\ud[c-f]../g, String.raw`\ufffd`);
  await say(
    store,
    hostile,
    lines.map((line) => JSON.parse(whole(line)) as RecordInput),
    '2026-10-01T06:00:00Z',
  );
  const { definition, records } = attacks();
  await say(store, definition, records, '2026-10-01T06:00:00Z');
  const once = records.slice(0, 3).map((record) => ({ ...record, title: `${record.title} again`, summary: null }));
  await state(store, definition, once, '2026-10-02T06:00:00Z');
}

function recordIdOf(definition: RegisterDefinition, input: RecordInput): string {
  return toRecord(definition, input, { where: 'record', position: null }).id;
}

async function say(
  store: RegisterStore,
  definition: RegisterDefinition,
  records: readonly RecordInput[],
  recordedAt: string,
): Promise<void> {
  await store.createRegister(definition, { order: 'oldest-first' });
  for (let from = 0; from < records.length; from += BATCH)
    await state(store, definition, records.slice(from, from + BATCH), recordedAt);
}

async function state(
  store: RegisterStore,
  definition: RegisterDefinition,
  records: readonly RecordInput[],
  recordedAt: string,
  cause: ApplyOptions['cause'] = 'source_change',
): Promise<void> {
  const statements = records.map((record) =>
    toPublishedRecord(toRecord(definition, record, { where: record.id, position: null }), true),
  );
  await store.apply(definition.id, statements, { recordedAt, cause });
}
