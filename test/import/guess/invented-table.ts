// A table with the header of a real file and invented values: fixtures/tables/headers.ndjson says of each column what its
// values are like, and which columns a person would take.

/** A row of fixtures/tables/headers.ndjson. */
export interface Header {
  readonly of: string;
  readonly script: keyof typeof SYLLABLES;
  readonly records: number;
  /**
   * `NAME|KIND N`: a column, what its values are, how many different ones there are (absent: all differ), and `?` where a value
   * in sixty is missing, `?%` one in seven, `??` every second.
   */
  readonly columns: readonly string[];
  /** The columns that a person would take; null: none. */
  readonly title: readonly (string | null)[];
  readonly published_at: readonly (string | null)[];
  readonly document_type: readonly (string | null)[];
  readonly author: readonly (string | null)[];
}

const SYLLABLES = {
  latin: ['north ', 'river', 'stone', 'hall ', 'market', 'green ', 'bridge', 'old ', 'school', 'water'],
  greek: ['δήμος ', 'νερό', 'λίμνη ', 'πόλη', 'νέα ', 'σχολή', 'αγορά ', 'πέτρα', 'γέφυρα', 'μονή '],
  cyrillic: ['город ', 'река', 'новый ', 'школа', 'мост ', 'рынок', 'старый ', 'вода', 'центр', 'дом '],
  hebrew: ['נהר', 'עיר ', 'גשר', 'חדש ', 'שוק', 'בית ', 'ספר', 'מים ', 'אבן', 'ישן '],
  arabic: ['مدينة ', 'نهر', 'جسر ', 'سوق', 'مدرسة ', 'ماء', 'بيت ', 'جديد', 'حجر ', 'قديم'],
  devanagari: ['नदी ', 'नगर', 'पुल ', 'बजार', 'विद्यालय ', 'पानी', 'घर ', 'नयाँ', 'ढुङ्गा ', 'पुरानो'],
  thai: ['เมือง', 'แม่น้ำ', 'สะพาน', 'ตลาด', 'โรงเรียน', 'น้ำ', 'บ้าน', 'ใหม่', 'หิน', 'เก่า'],
  han: ['北', '川', '石', '館', '市場', '緑', '橋', '旧', '学校', '水'],
  hangul: ['북쪽 ', '강', '돌 ', '회관', '시장 ', '초록', '다리 ', '학교', '물 ', '옛'],
} as const;

/** The records of the table. */
export function inventedRecords({ script, records, columns }: Header): readonly Readonly<Record<string, string>>[] {
  const kinds = columns.map((column) => {
    const bar = column.lastIndexOf('|');
    const [, kind, different, gaps] = /^(\w+?)(?: (\d+))?(\?%|\?{0,2})$/.exec(column.slice(bar + 1))!;
    return { name: column.slice(0, bar), kind: kind!, different: Number(different ?? Infinity), gaps: gaps! };
  });
  return Array.from({ length: records }, (_, at) =>
    Object.fromEntries(
      kinds.map(({ name, kind, different, gaps }, column) => {
        const isGap = gaps === '??' ? at % 2 === 1 : gaps === '?%' ? at % 7 === 3 : gaps === '?' && at === 30;
        return [name, isGap ? '' : valueOf(kind, at % different, column, SYLLABLES[script])];
      }),
    ),
  );
}

function valueOf(kind: string, at: number, column: number, syllables: readonly string[]): string {
  const mixed = (at * 7919 + column * 104_729 + 13) % 9973;
  const day = String((at % 28) + 1).padStart(2, '0');
  const month = String((Math.floor(at / 28) % 12) + 1).padStart(2, '0');
  const words = (count: number): string =>
    Array.from(
      { length: count },
      (_, place) => syllables[Math.floor((at + 7 * place + column) / (place === 0 ? 1 : 10 ** (place - 1))) % 10],
    )
      .join('')
      .trim();
  const initials = (length: number): string =>
    Array.from({ length }, (_, place) => String.fromCharCode(65 + ((Math.floor(at / 26 ** place) + column) % 26))).join(
      '',
    );
  switch (kind) {
    case 'empty':
      return '';
    case 'number':
      return String(at + 1);
    case 'digits':
      return String(mixed).padStart(6, '0');
    case 'count':
      return String(mixed % 900);
    case 'amount':
      return `${mixed}.${(at % 89) + 10}`;
    case 'year':
      return String(2011 + at);
    case 'lat':
      return `${mixed % 90}.${100_000 + at * 13}1`;
    case 'code':
      return `${initials(2)}-${mixed}/${at}`;
    case 'code1':
    case 'code2':
    case 'code3':
    case 'code4':
      return initials(Number(kind.slice(4)));
    case 'postcode':
      return String(10_000 + mixed * 3);
    case 'phone':
      return `(0${column}) ${mixed}-${at + 10}-${(at % 80) + 11}`;
    case 'email':
      return `office${at}@town${mixed}.example`;
    case 'domain':
      return `town${mixed}.example`;
    case 'url':
      return `https://town.example/${column}/${mixed}`;
    case 'address':
      return `${words(2)} ${(at % 140) + 1}`;
    case 'date':
      return `2025-${month}-${day}`;
    case 'datetime':
      return `2025-${month}-${day}T10:${day}:00Z`;
    case 'time':
      return `${day}:${month}:00`;
    case 'text':
      return Array.from({ length: 4 }, (_, part) => `${words(4 + part)} ${words(3)}`).join(', ');
    default:
      return words(4);
  }
}
