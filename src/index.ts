/**
 * The main entry, for embedding exports, generating files and running benchmarks. The reference writers are in
 * `gazette/reference`, because they import optional packages.
 *
 * @module
 */
export { VERSION } from './version.ts';

export type { JsonValue } from './register/canonical-json.ts';
export { defineRegister, type DefinitionInput } from './register/definition.ts';
export { defineSource, type RowsQuery, type SourceParts, type SourceRow } from './register/sources/define-source.ts';
export { fromRecords } from './register/sources/from-records.ts';
export { feedUri, recordId, recordUri } from './register/identity.ts';
export type { Order } from './register/sources/order.ts';
export type { AsOf, Filter, Matched, Page, PageQuery } from './register/page.ts';
export { resolveAsOf } from './register/query.ts';
export { toRecord, type RecordInput } from './register/record-input.ts';
export type {
  ChainPrice,
  Field,
  FieldType,
  Prices,
  RecordVersion,
  RegisterDefinition,
  RegisterRecord,
  VersionCause,
} from './register/record.ts';
export type { Facet } from './register/finding/facets.ts';
export { pages, type RegisterSource, type RegisterStream, type WalkOptions } from './register/sources/source.ts';
export { tierSource, type Tier, type TierOptions } from './register/tier.ts';

export { csv } from './formats/csv.ts';
export type { CsvOptions } from './formats/csv-dialect.ts';
export { encode, type EncodeOptions } from './formats/encode.ts';
export type { DocumentHead, DocumentLinks, Format, FormatOptions, Output, Sink } from './formats/format.ts';
export { unguardFormula } from './formats/formula-guard.ts';
export { type Cell, cellsOf } from './formats/cell.ts';
export { columnsOf } from './register/finding/chosen-fields.ts';
export { loadFormat } from './formats/check-formats.ts';
export { EXPORT_FORMATS, findFormat } from './formats/index.ts';
export { Report, type Warning } from './formats/report.ts';

export { exportHandler, type ExportHandlerOptions, type Sources } from './export/handler.ts';
export { exportPage, type ExportPage, type ExportRequest } from './export/page.ts';
export { walkExportPages, type WalkExportOptions } from './export/walk.ts';
export { exportRegister, type ExportRegisterOptions } from './export/register.ts';
export type { ExportOptions } from './export/document-head.ts';

export { toFastifyHandler, type FastifyExchange } from './adapters/fastify.ts';
export {
  type KoaContext,
  type NodeListenerOptions,
  toKoaMiddleware,
  toNodeListener,
  type WebHandler,
} from './adapters/node.ts';
export type { RequestOrigin } from './web/incoming-request.ts';
