// XLSX: a whole register in one workbook, and pages of 100 records as the service answers them. The bare loop uses the
// writer's own parts and threads, without the sink's and the driver's page by page.
import type { Contestant, Destination } from '../harness.ts';
import { aboutXml } from '../../src/formats/xlsx/about.ts';
import * as constant from '../../src/formats/xlsx/constant-parts.ts';
import { deflatePart } from '../../src/formats/xlsx/deflate.ts';
import { xlsx, xlsxWithin } from '../../src/formats/xlsx/index.ts';
import { EXCEL_LIMITS } from '../../src/formats/xlsx/limits.ts';
import { RecordRows } from '../../src/formats/xlsx/rows.ts';
import { RecordsSheet, recordsSheetOpen } from '../../src/formats/xlsx/sheet.ts';
import { allFields } from '../../src/register/fields.ts';
import { corePropertiesXml, sheetPath, sheetRelationshipsPath, workbookXml } from '../../src/formats/xlsx/workbook.ts';
import { ZipWriter } from '../../src/formats/xlsx/zip.ts';
import { libxlsxwriterPeers } from './native-peers.ts';
import { referenceContestant } from './reference.ts';
import { type Input, pageAt, type Table, throughEncode } from './table.ts';
import { AT_EQUAL_SIZE, checkSize, checkWorkbook, EQUAL_SIZE } from './xlsx-check.ts';
import {
  bookWriterPeers,
  exceljsBookPeer,
  hucrePeers,
  type Select,
  sheetJsPeer,
  writeExcelFilePeer,
} from './xlsx-peers.ts';

const PER_CENT = Math.round(EQUAL_SIZE * 100);

/** Ours as libxlsxwriter writes: the same level of compression, and no links. */
const AT_LEVEL_SIX = 'gazette, level 6, no links';

/** The table of whole workbooks. */
export const xlsxTable: Table = {
  id: 'xlsx',
  title: 'XLSX, a whole workbook',
  shape: 'whole',
  columns: 'all',
  sizes: { default: [20_000], full: [100_000, 500_000] },
  firstByte: { share: 0.005, fromRecords: 100_000 },
  goals: [
    {
      label: `>= 3 × the best streaming package at equal file size (${PER_CENT} % around ours)`,
      atLeast: 3,
      against: AT_EQUAL_SIZE,
    },
    { label: '>= 5 × exceljs', atLeast: 5, against: ['exceljs stream'] },
    { label: '>= 1 × libxlsxwriter', atLeast: 1, against: ['libxlsxwriter'], of: AT_LEVEL_SIX },
    { label: '>= 0.95 × the bare loop', atLeast: 0.95, against: ['bare loop'] },
  ],
  async check(document, input, contestant) {
    await checkWorkbook(document, input, contestant);
    await checkSize(document, throughEncode('gazette', 'native', xlsx, input, 'whole'), contestant);
  },
  ours: async (input) => [
    throughEncode('gazette', 'native', xlsx, input, 'whole'),
    bareLoop(input, () => input.records),
    ...(await referenceContestant('xlsx', 'exceljs', input, 'whole')),
  ],
  async peers(input) {
    const all: Select = () => input.records;
    return [
      ...(await hucrePeers(input, all)).filter(({ name }) => name !== 'hucre writer (level 1)'),
      ...(await bookWriterPeers(input, all)),
      throughEncode(AT_LEVEL_SIX, 'native', xlsxWithin({ ...EXCEL_LIMITS, links: 0 }), input, 'whole', {
        options: { level: 6 },
      }),
      ...libxlsxwriterPeers(input),
      // Those that hold the workbook in memory.
      await sheetJsPeer(input, all),
      await writeExcelFilePeer(input, all),
    ];
  },
};

/** The table of pages. */
export const xlsxPageTable: Table = {
  id: 'xlsx-page',
  title: 'XLSX, pages',
  shape: 'pages',
  columns: 'all',
  sizes: { default: [2000], full: [2000] },
  goals: [
    {
      // As they are published: a replaced CompressionStream is nothing that a user of hucre has.
      label: '>= 4 × the best package',
      atLeast: 4,
      against: ['SheetJS', 'hucre stream', 'hucre writer', 'exceljs', 'exceljs stream'],
    },
    // Its stream or its workbook in memory, whichever is quicker for a page.
    { label: '>= 8 × exceljs', atLeast: 8, against: ['exceljs', 'exceljs stream'] },
    { label: '>= 0.95 × the bare loop', atLeast: 0.95, against: ['bare loop'] },
  ],
  firstGoals: [
    {
      label: '>= 2 × the best package',
      atLeast: 2,
      against: ['SheetJS', 'hucre stream', 'hucre writer', 'exceljs', 'exceljs stream'],
    },
  ],
  check: checkWorkbook,
  ours: async (input) => [
    throughEncode('gazette', 'native', xlsx, input, 'pages'),
    bareLoop(input, (index) => pageAt(input, index).records),
    ...(await referenceContestant('xlsx', 'exceljs', input, 'pages')),
  ],
  async peers(input) {
    const page: Select = (index) => pageAt(input, index).records;
    return [
      ...(await hucrePeers(input, page)),
      ...(await bookWriterPeers(input, page)),
      await exceljsBookPeer(input, page),
      await sheetJsPeer(input, page),
      await writeExcelFilePeer(input, page),
    ];
  },
};

function bareLoop(input: Input, select: Select): Contestant {
  const { definition, fields, head } = input;
  const open = recordsSheetOpen(allFields(definition), true);
  return {
    name: 'bare loop',
    role: 'bare loop',
    version: null,
    note: 'the same rows and threads in one loop',
    async run(out: Destination, index: number) {
      const zip = new ZipWriter({
        bytes: (bytes) => {
          out.write(bytes);
        },
      });
      zip.add('_rels/.rels', constant.packageRelationshipsPart());
      zip.add('docProps/app.xml', constant.applicationPropertiesPart());
      zip.add('xl/styles.xml', constant.stylesPart());
      const rows = new RecordRows({ definition }, undefined);
      const sheet = new RecordsSheet(open, fields.length, rows, EXCEL_LIMITS, (bytes) => {
        zip.append(sheetPath(1), bytes);
      });
      for (const record of select(index)) {
        sheet.record(record);
        if (sheet.isFull) await sheet.relieve();
      }
      const ended = sheet.finish();
      const finished = ended instanceof Promise ? await ended : ended;
      if ('pieces' in finished.sheet) zip.add(sheetPath(1), finished.sheet);
      else zip.end(finished.sheet);
      if (finished.links !== null) zip.add(sheetRelationshipsPath(1), finished.links);
      zip.add(sheetPath(2), deflatePart(aboutXml(head)));
      zip.add('docProps/core.xml', deflatePart(corePropertiesXml(head)));
      const sheets = [
        { name: 'Records', filterRange: sheet.filterRange },
        { name: 'About', filterRange: null },
      ];
      zip.add('xl/workbook.xml', deflatePart(workbookXml(sheets)));
      zip.add('xl/_rels/workbook.xml.rels', constant.workbookRelationshipsPart(2));
      zip.add('[Content_Types].xml', constant.contentTypesPart(2));
      zip.close();
    },
  };
}
