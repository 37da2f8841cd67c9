// Workbooks of arbitrary registers by the native writer. Those of exceljs, and what exceljs reads of both, take minutes:
// xlsx-reference.heavy.test.ts. SheetJS reads them in test/conformance.
import { describe } from 'vitest';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { workbookProperties } from './workbooks.ts';

describe('a workbook by the native writer', () => {
  workbookProperties(xlsx);
});
