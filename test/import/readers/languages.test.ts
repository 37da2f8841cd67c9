// Short texts as offices write them, in the encodings of their languages: a few lines must be enough to be read right, and
// none may be published in other letters.
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { valuesOf, source } from '../sources.ts';
import { encoded } from './encoded.ts';

const TEXTS: readonly (readonly [language: string, encoding: string, text: string])[] = [
  ['Japanese', 'shift_jis', 'id,name\n1,焼津市役所\n'],
  [
    'Japanese',
    'shift_jis',
    '施設名,住所,電話番号\n中央公民館,静岡県焼津市本町5-6-1,054-626-1111\nこども園,静岡県焼津市大村2-3,054-627-0000\n',
  ],
  [
    'Japanese, half-width',
    'shift_jis',
    '13101,"100  ","1000000","ﾄｳｷﾖｳﾄ","ﾁﾖﾀﾞｸ","東京都","千代田区"\n13101,"102  ","1020072","ﾄｳｷﾖｳﾄ","ｲｲﾀﾞﾊﾞｼ","東京都","飯田橋"\n',
  ],
  ['Japanese', 'euc-jp', '番号,名称,所在地\n1,市立図書館,東京都千代田区霞が関\n2,区民センター,大阪市北区\n'],
  ['Korean', 'euc-kr', 'id,name\n1,서울특별시 종로구\n'],
  [
    'Korean',
    'euc-kr',
    '법정동코드\t법정동명\t폐지여부\n1100000000\t서울특별시\t존재\n1111000000\t서울특별시 종로구\t존재\n',
  ],
  ['Korean', 'euc-kr', '번호,의원명,정당\n1,강기윤,국민의힘\n2,김민석,더불어민주당\n'],
  ['Chinese, traditional', 'big5', 'id,name\n1,日月潭國家風景區\n2,阿里山\n'],
  [
    'Chinese, traditional',
    'big5',
    '景點編號,景點名稱,地址\n1,台北101,台北市信義區信義路五段7號\n2,故宮博物院,台北市士林區至善路\n',
  ],
  ['Chinese, simplified', 'gb18030', 'id,name\n1,北京市海淀区\n2,上海市浦东新区\n'],
  ['Chinese, simplified', 'gb18030', '指标,金额,单位\n国家财政支出,28.5,亿元\n中央财政收入,120.1,亿元\n'],
  ['Russian', 'windows-1251', 'id,name\n1,Москва\n2,Санкт-Петербург\n'],
  ['Russian', 'windows-1251', '№;Название;Адрес\n1;Городская больница;ул. Ленина, 5\n2;Детский сад;пр. Мира, 12\n'],
  ['Russian', 'koi8-r', 'номер;название;адрес\n1;Городская больница;ул. Ленина\n2;Детский сад;пр. Мира\n'],
  ['Russian', 'ibm866', 'номер;название;адрес\n1;Городская больница;ул. Ленина\n2;Детский сад;пр. Мира\n'],
  ['Russian', 'iso-8859-5', 'номер;название;адрес\n1;Городская больница;ул. Ленина\n2;Детский сад;пр. Мира\n'],
  [
    'Ukrainian',
    'windows-1251',
    'id;назва;адреса\n1;Київська міська рада;вул. Хрещатик\n2;Львівська область;площа Ринок\n',
  ],
  ['Ukrainian', 'koi8-u', 'id;назва;адреса\n1;Київська міська рада;вул. Хрещатик\n2;Львівська область;площа Ринок\n'],
  ['Bulgarian', 'windows-1251', 'номер;име;адрес\n1;Община Пловдив;бул. България\n2;Столична община;ул. Московска\n'],
  [
    'Serbian',
    'windows-1251',
    'број;назив;адреса\n1;Град Београд;Трг Николе Пашића\n2;Општина Нови Сад;Булевар ослобођења\n',
  ],
  ['Greek', 'iso-8859-7', 'id;όνομα;διεύθυνση\n1;Δήμος Αθηναίων;Λεωφόρος Συγγρού\n2;Δήμος Πατρέων;Πλατεία Γεωργίου\n'],
  [
    'Greek',
    'windows-1253',
    'id;όνομα;διεύθυνση\n1;Δήμος Αθηναίων;Λεωφόρος Συγγρού\n2;Άγιος Δημήτριος;Πλατεία Γεωργίου\n',
  ],
  ['Greek', 'windows-1253', 'id,name\n1,Θεσσαλονίκη\n2,Αθήνα\n'],
  ['Hebrew', 'windows-1255', 'מספר,שם,כתובת\n1,עיריית ירושלים,רחוב יפו\n2,עיריית חיפה,שדרות הנשיא\n'],
  ['Hebrew', 'windows-1255', 'id,name\n1,תל אביב\n2,ירושלים\n'],
  ['Hebrew', 'iso-8859-8', 'מספר,שם,כתובת\n1,עיריית ירושלים,רחוב יפו\n2,עיריית חיפה,שדרות הנשיא\n'],
  ['Arabic', 'windows-1256', 'رقم,الاسم,العنوان\n1,وزارة الصحة,شارع الملك فهد\n2,بلدية الرياض,حي العليا\n'],
  ['Arabic', 'windows-1256', 'id,name\n1,الرياض\n2,جدة\n'],
  ['Arabic', 'iso-8859-6', 'رقم,الاسم,العنوان\n1,وزارة الصحة,شارع الملك فهد\n2,بلدية الرياض,حي العليا\n'],
  [
    'Turkish',
    'windows-1254',
    'no;ad;adres\n1;İstanbul Büyükşehir Belediyesi;Şişli Caddesi\n2;Çankaya İlçesi;Atatürk Bulvarı\n3;Diyarbakır;Dağkapı\n',
  ],
  [
    'Turkish',
    'iso-8859-9',
    'no;ad;adres\n1;Büyükşehir Belediyesi;Ağaçlı\n2;Çankaya İlçesi;Kızılay Bulvarı\n3;Diyarbakır;Dağkapı\n',
  ],
  ['Thai', 'windows-874', 'รหัส,ชื่อ,ที่อยู่\n1,กรุงเทพมหานคร,เขตพระนคร\n2,เชียงใหม่,อำเภอเมือง\n'],
  ['Thai', 'windows-874', 'id,name\n1,กระบี่\n2,เชียงใหม่\n'],
  [
    'Polish',
    'windows-1250',
    'nr;nazwa;adres\n1;Urząd Miasta Łódź;ul. Świętokrzyska\n2;Gmina Brzeźno;ul. Żeromskiego\n3;Wałbrzych;ul. Dąbrowskiego\n',
  ],
  [
    'Polish',
    'iso-8859-2',
    'nr;nazwa;adres\n1;Urząd Miasta Łódź;ul. Świętokrzyska\n2;Gmina Brzeźno;ul. Żeromskiego\n3;Wałbrzych;ul. Dąbrowskiego\n',
  ],
  ['Czech', 'windows-1250', 'číslo;název;adresa\n1;Město Příbram;Náměstí Míru\n2;Třebíč;Žižkova\n3;Šumperk;Ječná\n'],
  [
    'Hungarian',
    'windows-1250',
    'sorszám;név;cím\n1;Győr Megyei Jogú Város;Fő utca\n2;Mezőkövesd;Mátyás király út\n3;Gyöngyös;Fő tér\n',
  ],
  [
    'Hungarian',
    'iso-8859-2',
    'sorszám;név;cím\n1;Győr Megyei Jogú Város;Fő utca\n2;Mezőkövesd;Mátyás király út\n3;Gyöngyös;Fő tér\n',
  ],
  [
    'Romanian',
    'windows-1250',
    'nr;denumire;adresa\n1;Primăria Bucureşti;Bulevardul Unirii\n2;Judeţul Braşov;Strada Mureşenilor\n3;Târgu Jiu;Calea Victoriei\n4;Oraş Făgăraş;Piaţa Libertăţii\n',
  ],
  [
    'Lithuanian',
    'windows-1257',
    'nr;pavadinimas;adresas\n1;Vilniaus miesto savivaldybė;Konstitucijos pr.\n2;Šiauliai;Žemaitės g.\n3;Panevėžys;Laisvės aikštė\n4;Kėdainių rajonas;Didžioji g.\n',
  ],
  [
    'Latvian',
    'windows-1257',
    'nr;nosaukums;adrese\n1;Rīgas dome;Rātslaukums\n2;Jūrmala;Jomas iela\n3;Liepāja;Rožu iela\n4;Rēzekne;Atbrīvošanas aleja\n',
  ],
  ['German', 'windows-1252', 'nr;name;ort\n1;Straßenbauamt;Köln\n'],
  ['German', 'windows-1252', 'Straße,Gebühr\n1,„12 €“\n'],
  ['German, one', 'windows-1252', 'id,name\n1,Müller\n'],
  ['French', 'windows-1252', 'numéro;nom;région\n1;Mairie d’Orléans;Centre\n2;Besançon;Franche-Comté\n'],
  ['French, one', 'windows-1252', 'id,name\n1,Orléans\n'],
  ['Spanish', 'windows-1252', 'id,nombre\n1,Ministerio de Educación Pública\n2,Logroño\n'],
  ['Spanish capitals', 'windows-1252', 'ID,NOMBRE\n1,SECRETARÍA DE GOBERNACIÓN\n2,ADMINISTRACIÓN PÚBLICA\n'],
  ['Portuguese', 'windows-1252', 'código;descrição\n1;NÃO HÁ INFORMAÇÃO\n2;AVIAÇÃO\n3;São Paulo\n'],
  ['Portuguese capitals', 'windows-1252', 'ID;NOME\n1;MANUTENÇÃO DA AERONAVE\n2;CONDIÇÕES METEOROLÓGICAS\n'],
  ['Italian', 'windows-1252', 'id;nome;stato\n1;Città di Torino;già attivo\n2;Comunità montana;è chiuso\n'],
  ['Danish', 'windows-1252', 'id;navn\n1;Københavns Kommune\n2;Århus\n3;Sønderborg\n'],
  ['Swedish', 'windows-1252', 'id;namn\n1;Malmö stad\n2;Göteborg\n3;Västerås\n4;Håbo\n'],
  ['Finnish', 'windows-1252', 'id;nimi\n1;Jyväskylä\n2;Hämeenlinna\n3;Seinäjoki\n'],
  ['Icelandic', 'windows-1252', 'id;nafn\n1;Reykjavíkurborg\n2;Hafnarfjörður\n3;Þingeyjarsveit\n4;Ísafjarðarbær\n'],
  ['English, quotes', 'windows-1252', 'id,name\n1,“Quoted” council’s fund – £5\n2,plain\n'],
  ['English, pound', 'windows-1252', 'id,amount\n1,£5\n2,£17\n'],
  ['English, nbsp', 'windows-1252', 'id,name\n1,Town\u00a0Hall\n2,plain\n'],
  ['English, degree', 'windows-1252', 'id,n\n1,21°\n2,22°\n3,½\n'],
  ['Dutch', 'windows-1252', 'id,naam\n1,Gemeente Súdwest-Fryslân\n2,coördinatie\n'],
  ['German, capitals', 'windows-1252', 'ID;NAME\n1;LÖWENSTRASSE\n2;GEBÜHRENÄNDERUNG\n'],
  [
    'French, Mac',
    'macintosh',
    'numéro;nom;région\n1;Mairie d’Orléans;Centre\n2;Besançon;Franche-Comté\n3;Nîmes;Gard\n',
  ],
  [
    'Croatian',
    'windows-1250',
    'br;naziv;adresa\n1;Općina Đurđevac;Školska\n2;Županija Šibensko-kninska;Ćirilometodska\n3;Čakovec;Vukovarska\n',
  ],
  [
    'Slovene',
    'windows-1250',
    'št;naziv;naslov\n1;Občina Škofja Loka;Poljanska cesta\n2;Žalec;Savinjske čete\n3;Črnomelj;Zadružna\n',
  ],
  [
    'Slovak',
    'windows-1250',
    'číslo;názov;adresa\n1;Mesto Žilina;Námestie obetí\n2;Košice;Trieda SNP\n3;Liptovský Mikuláš;Štúrova\n',
  ],
  ['Spanish, ordinals', 'windows-1252', 'nº;calle\n1;C/ Mayor 3º 2ª\n2;Avda. España\n3;¿Cuál?\n'],
  ['French, quotes', 'windows-1252', 'id;texte\n1;« Bonjour »\n2;cœur – l’œuvre\n'],
  ['English, euro', 'windows-1252', 'id,amount\n1,€5\n2,€17\n'],
  ['German, paragraphs', 'windows-1252', 'nr;text\n1;§ 5 Abs. 2\n2;§§ 7, 9\n3;20 m²\n'],
  ['Catalan', 'windows-1252', 'id;nom\n1;Ajuntament de València\n2;Col·legi d’Òdena\n'],
];

describe('the encoding of a few lines is found', () => {
  it.each(TEXTS)('%s in %s: %j', async (_, encoding, text) => {
    const bytes = encoded(encoding, text);
    for (const size of [undefined, 5]) {
      const reader = csvReader(source(bytes, size));
      const found = await valuesOf(reader);
      expect(found).toEqual(await valuesOf(csvReader(source(text))));
      const [note] = reader.notes?.() ?? [];
      expect(note?.message).toMatch(
        /^the text is not UTF-8 and is read as \S.*; if that looks wrong, say the encoding with --encoding$/,
      );
    }
  });
});
