// The words the benchmark's registers are written with: decisions on environmental permits, in the writing systems and
// with the punctuation that real registers hold. Nothing here begins with a formula sign or holds a control character.

/** What was decided. */
export const SUBJECTS: readonly string[] = [
  'discharge of treated cooling water',
  'storage of flammable solvents, class II',
  'extension of the biogas plant',
  'groundwater abstraction, three wells',
  'operation of a rotary kiln',
  'temporary lowering of the water table',
  'recycling yard for mixed building waste',
  'emission limits for boiler 4',
  'noise abatement along the freight line',
  'composting of green waste, 12,000 t a year',
  'renewal of the landfill gas collection',
  'surface treatment of metals',
];

/** Who applied, in Latin-1. */
export const APPLICANTS: readonly string[] = [
  'Nordhafen Terminal GmbH',
  'Müller & Söhne KG',
  'Västra Energi AB',
  'Compañía de Aguas del Río',
  'Société des Eaux de la Vallée',
  'Harbour Works Ltd',
  'Kraftwerk Süd AG',
  'Greenfield Recycling "GFR" plc',
  "O'Neill and Partners",
  'Fundação Água Limpa',
];

/** Who applied, beyond Latin-1. */
export const WIDE_APPLICANTS: readonly string[] = [
  'Wodociągi Łódzkie S.A.',
  'Дунавска пристанишна компания',
  'Ελληνικά Ύδατα Α.Ε.',
  '東京湾水処理株式会社',
  'Çevre Hizmetleri Şirketi',
  'Čistírna odpadních vod Plzeň',
  'Elektrárna Důl „Západ“ a.s.',
  '한강환경공단',
];

/** Sentences in Latin-1, with commas, quotes, ampersands and less-than signs as they occur. */
export const SENTENCES: readonly string[] = [
  'The authority has granted the application subject to conditions 1 to 14.',
  'Objections were received from two neighbours, one of whom withdrew.',
  'Monitoring results are to be reported quarterly, in electronic form.',
  'The limit of 35 mg/l applies as a daily mean, measured over 24 hours.',
  'The operator shall keep a log and show it on request.',
  'An appeal may be lodged within one month of notification.',
  'The permit replaces decision no. 2011/884 and expires with it.',
  'The applicant states that "no residues leave the site" and offers proof.',
  'Emissions at a load < 60 % & during start-up are not covered.',
  'Die Auflagen gelten für die gesamte Laufzeit, auch bei Betreiberwechsel.',
  'La décision est affichée à la mairie pendant deux mois.',
  'Los vertidos se medirán según la norma EN ISO 5667, método B.',
  'Fees are payable on the day of delivery, plus value added tax.',
  'See the annex, sections 3.2, 3.4 and 5, for the technical drawings.',
  'The site lies within 500 m of a protected habitat; an assessment was made.',
];

/** Sentences with characters beyond Latin-1. */
export const WIDE_SENTENCES: readonly string[] = [
  'The authority’s decision – “granted, with conditions” – takes effect at once.',
  'Emissions of CO₂ and NOₓ stay ≤ 90 % of the limit…',
  'Решение вступает в силу со дня публикации.',
  'Η άδεια ισχύει έως το τέλος του έτους.',
  '排水基準は日平均値で適用される。',
  'Pozwolenie wydano zgodnie z ustawą, na wniosek spółki „Wisła”.',
  'Rozhodnutí nabývá právní moci dnem doručení.',
  'Fee: 4 500 € – payable within 30 days ✓',
];

/** The kinds of decision; the last is rare. */
export const DOCUMENT_TYPES: readonly string[] = ['adopted', 'draft', 'amended', 'refused', 'revoked'];

/** The issuing bodies. */
export const AUTHORS: readonly string[] = [
  'Environment Office North',
  'Regional Council, Water Division',
  'Präfektur Süd',
  'Umweltamt Östliche Gemeinden',
];

/** Places, for titles. */
export const PLACES: readonly string[] = [
  'Nordhafen',
  'Altstadt',
  'Grünau',
  'Sévérac',
  'Målö',
  'East Quay',
  'Río Seco',
];
