// What publishers call the columns that become core fields, in the languages of many European registers. A refusal names
// the columns that may be meant, and `--guess` proposes them.
import { foldName, nearest } from '../../nearest.ts';
import type { CoreFieldName } from '../../register/record.ts';

/** Core fields that a column may be recognised for. */
export type GuessedField = Extract<
  CoreFieldName,
  'id' | 'title' | 'summary' | 'author' | 'document_type' | 'facility_id' | 'source_url' | 'published_at'
>;

/** Names as publishers write them, the most certain first. Compared without case, diacritics, spaces and signs. */
const WORDS: Readonly<Record<GuessedField, string>> = {
  id:
    'id, identifier, key, uuid, guid, aktenzeichen, az, geschäftszeichen, reference, ref, reference number, case number, ' +
    'file number, docket, docket number, permit number, licence number, license number, application number, ' +
    'registration number, number, no, nr, nummer, lfd nr, laufende nummer, kennung, kennzeichen, registernummer, ' +
    'vorgangsnummer, code, référence, numéro, no dossier, identifiant, referencia, número, expediente, identificador, ' +
    'riferimento, numero, codice, kenmerk, referentie, numer, sygnatura, diarienummer, číslo, číslo jednací',
  title:
    'title, titel, name, bezeichnung, betreff, subject, heading, headline, label, gegenstand, vorhaben, titre, intitulé, ' +
    'objet, nom, dénomination, libellé, título, nombre, asunto, denominación, titolo, oggetto, nome, denominazione, naam, ' +
    'onderwerp, tytuł, nazwa, přednázev, název, namn, rubrik, ärende, navn, projekt, project, proposal, vulnerability name, předmět, przedmiot, objeto, ' +
    'descrição, beneficiario, наименование, название, предмет, найменування, назва, заголовок, όνομα, ονομασία, τίτλος, θέμα, ' +
    'שם, כותרת, اسم, عنوان, नाम, ชื่อ, 名称, 名稱, 名前, 件名, 氏名, 题名, 标题, 標題, 이름, 명칭, 제목, 동명',
  summary:
    'summary, abstract, zusammenfassung, kurzbeschreibung, description, beschreibung, short description, erläuterung, ' +
    'résumé, resumen, descripción, descrizione, sommario, samenvatting, omschrijving, opis, popis, beskrivning, beskrivelse',
  author:
    'author, autor, authority, issuing authority, agency, publisher, behörde, amt, dienststelle, herausgeber, auteur, ' +
    'autorité, organisme, autoridad, organismo, autorità, ente, instantie, bestuursorgaan, organ, myndighet, úřad, ' +
    'órgano, órgão, орган, ведомство, φορέας, 発行者, 发布机构, 기관, الجهة, הרשות',
  document_type:
    'document type, type, typ, art, kind, category, kategorie, dokumentart, dokumenttyp, record type, permit type, ' +
    'decision type, genre, catégorie, tipo, categoría, categoria, soort, rodzaj, druh, kategori, ' +
    'art des verfahrens, art der, tipologia, тип, вид, είδος, τύπος, 类型, 類型, 種類, 区分, 종류, نوع, סוג, ประเภท',
  facility_id:
    'facility id, facility, facility number, site id, plant id, anlagennummer, anlage, betriebsstätte, anlagen id, ' +
    'establishment id, installation id, id établissement, instalación, impianto',
  source_url:
    'source url, source link, url, link, href, permalink, source, web, website, webseite, internetadresse, quelle, uri, ' +
    'fundstelle, lien, adresse web, enlace, fuente, fonte, bron, odkaz, länk, lenke',
  published_at:
    'published at, publication date, date published, published, publication, issue date, issued, date issued, ' +
    'date of issue, decision date, date, datum, veröffentlicht, veröffentlicht am, veröffentlichung, ' +
    'veröffentlichungsdatum, bekanntmachung, bekanntgemacht am, erlassen am, bescheiddatum, date added, released, ' +
    'date released, date de publication, publié le, fecha, fecha de publicación, data, data di pubblicazione, ' +
    'publicatiedatum, data publikacji, datum zveřejnění, publiceringsdatum, dato, ' +
    'zveřejnění, fecha de concesión, data de publicação, kundgemacht am, datum publicatie, beslutsdatum, дата публикации, дата на публикуване, дата видачі, ' +
    'дата выдачи, дата, ημερομηνία έκδοσης, ημερομηνία δημοσίευσης, تاريخ الإصدار, تاريخ النشر, 发证日期, 发布日期, 公開日, 公布日期, 登録日, 発行日',
};

/** What columns are called whose dates are no dates of publication: births, ends, terms, changes. */
const OTHER_DATES =
  'birth, geburt, naissance, nascita, nacimiento, nascimento, narození, narodenia, рождения, 生年月日, 생년월일, birthday, expir, valid, gültig, validade, validez, ' +
  'scadenza, vencimiento, ablauf, until, due, deadline, frist, limite, closing, fine, ende, end date, start date, début, inizio, updated, modified, changed, ' +
  'geändert, modifié, deleted, eingang, received, ricezione, дійсний, действ, انتهاء, 有效期, 期限';

/** What columns are called whose texts are no titles: places, ways to reach somebody, notes. */
const NO_TITLES =
  'address, adresse, adres, street, straße, domicilio, dirección, endereço, endereco, indirizzo, адрес, адреса, адресный, 住所, 所在地, 地址, 주소, ' +
  'postcode, postal, zip, plz, postleitzahl, telephone, telefon, phone, teléfono, fax, телефон, 電話, email, mail, contact, note, notes, remarks, ' +
  'bemerkung, bemerkungen, comentários, comments, country, land, pays';

/** The fields that a column may be recognised for. */
export const GUESSED_FIELDS = Object.keys(WORDS) as readonly GuessedField[];

/** Those whose values are codes, which may be whole numbers. */
export const CODES: readonly GuessedField[] = ['id', 'facility_id'];

const FOLDED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(WORDS).map(([field, words]) => [field, words.split(', ').map(foldName)]),
);

const OTHERS = OTHER_DATES.split(', ').map(foldName);
const NOT_TITLES = NO_TITLES.split(', ').map(foldName);

/** The number of letters from which a word is recognised at the end of a longer one, as in `Baubehörde`. */
const MIN_END = 4;

/** The same at the beginning, where the name's own words show its end: `Type of permit`. */
const MIN_BEGINNING = 3;

/** Chinese, Japanese and Korean put no spaces between words, and theirs are shorter. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hangul}]/u;
const MIN_UNSPACED = 2;

/**
 * The columns that may be meant by a core field, the most certain first.
 *
 * @example likelyColumns('title', ['Nr.', 'Bezeichnung']) // ['Bezeichnung']
 */
export function likelyColumns(field: CoreFieldName, columns: readonly string[]): readonly string[] {
  const words = FOLDED[field] ?? [];
  const ranked = columns
    .map((column) => ({ column, rank: rankOf(column, words) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
    .map(({ column }) => column);
  return [...new Set([...ranked, ...nearest(field, columns)])];
}

/** How surely a column is called what a field holds: 2 by its whole name, 1 by a part of it, 0 not at all. */
export function namedAs(field: GuessedField, column: string): 0 | 1 | 2 {
  const words = FOLDED[field]!;
  const rank = rankOf(column, words);
  return rank < words.length ? 2 : rank < Infinity ? 1 : 0;
}

/** Whether a column is called a date that is none of publication. */
export function isOtherDate(column: string): boolean {
  const own = wordsOf(column);
  const folded = own.join('');
  // A short word is one of the name's own, or begins one: `due` is none in `residue`.
  return OTHERS.some((word) => own.some((one) => one.startsWith(word)) || (isLong(word) && folded.includes(word)));
}

/** Whether a column is called something that is no title. */
export function isNoTitle(column: string): boolean {
  return rankOf(column, NOT_TITLES) < Infinity;
}

function isLong(word: string): boolean {
  return word.length >= (UNSPACED.test(word) ? MIN_UNSPACED : MIN_END + 1);
}

/** Whole names first, then names that begin or end with a word: `Datum der Bekanntmachung`. */
function rankOf(column: string, words: readonly string[]): number {
  const own = wordsOf(column);
  const folded = own.join('');
  const whole = words.indexOf(folded);
  if (whole >= 0) return whole;
  const beginnings = new Set(own.map((_, at) => own.slice(0, at + 1).join('')));
  const part = words.findIndex((word) => {
    if (UNSPACED.test(word)) return word.length >= MIN_UNSPACED && (folded.startsWith(word) || folded.endsWith(word));
    return (word.length >= MIN_BEGINNING && beginnings.has(word)) || (word.length >= MIN_END && folded.endsWith(word));
  });
  return part < 0 ? Infinity : words.length + part;
}

/** The words of a name, folded, without the number that exports put before it: `1_Название`, `dateAdded`. */
function wordsOf(column: string): readonly string[] {
  const spaced = column.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').split(/[^\p{L}\p{M}\p{N}]+/u);
  const words = spaced.map(foldName).filter((word) => word !== '');
  return words.length > 1 && /^\d+$/.test(words[0]!) ? words.slice(1) : words;
}
