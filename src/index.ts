/**
 * The main entry, for embedding exports, generating files and running benchmarks. The reference writers are in
 * `gazette/reference`, because they import optional packages.
 *
 * @module
 */
export { GazetteError, isGazetteError, type ErrorCode, type ErrorDetails } from './errors.ts';
export { PROBLEM_MEDIA_TYPE, problemKind, PROBLEMS, toProblem, type Problem, type ProblemKind } from './problem.ts';
export { VERSION } from './version.ts';

export { canonicalJson, type JsonValue } from './register/canonical-json.ts';
export { defineRegister, type DefinitionInput } from './register/definition.ts';
export { defineSource, type RowsQuery, type SourceParts, type SourceRow } from './register/sources/define-source.ts';
export { fromRecords, type FromRecordsOptions } from './register/sources/from-records.ts';
export { decodeKey, encodeKey, feedUri, recordId, recordUri, recordUris } from './register/identity.ts';
export { type Direction, type Order } from './register/sources/order.ts';
export { PAGE_SIZE, type AsOf, type Page, type PageQuery } from './register/page.ts';
export type { Filter } from './register/finding/filter.ts';
export { pageParameters, parsePageQuery, resolveAsOf } from './register/query.ts';
export { toRecord, type RecordContext, type RecordInput } from './register/record-input.ts';
export {
  allFields,
  type AnyCoreField,
  CORE_FIELDS,
  type CoreField,
  type FieldTier,
  MAX_CONTENT_BYTES,
} from './register/fields.ts';
export {
  type CoreFieldName,
  type Field,
  type FieldType,
  type Prices,
  type RegisterDefinition,
  type ChainPrice,
  type RegisterRecord,
} from './register/record.ts';
export type { Facet, FacetValue } from './register/finding/facets.ts';
export { pages, type RegisterSource, type RegisterStream, type WalkOptions } from './register/sources/source.ts';
export {
  PREVIEW_SUMMARY_LENGTH,
  PUBLIC_WINDOW,
  publicWindow,
  tierRecord,
  tierSource,
  type RecordPreview,
  type Tier,
  type TierOptions,
} from './register/tier.ts';

export { csv, type CsvOptions } from './formats/csv.ts';
export { encode, type EncodeOptions } from './formats/encode.ts';
export {
  type DocumentHead,
  type DocumentLinks,
  type Format,
  type FormatOptions,
  type Output,
  type Sink,
  type VersionedFormat,
} from './formats/format.ts';
export { unguardFormula } from './formats/formula-guard.ts';
export { type Cell, cellsOf } from './formats/cell.ts';
export { columnsOf } from './register/finding/chosen-fields.ts';
export { checkFormats, loadFormat } from './formats/check-formats.ts';
export { EXPORT_FORMATS, findFormat, FORMAT_NAMES, FORMATS } from './formats/index.ts';
export { Report, type Warning, type WarningCode } from './formats/report.ts';

export { exportHandler, type ExportHandlerOptions, type Handler, type Sources } from './export/handler.ts';
export { exportPage, type ExportPage, type ExportRequest } from './export/page.ts';
export { walkExportPages, type WalkExportOptions } from './export/walk.ts';
export { exportRegister, type ExportRegisterOptions } from './export/register.ts';
export { type ExportOptions } from './export/document-head.ts';

export { toFastifyHandler, type FastifyExchange } from './adapters/fastify.ts';
export {
  toKoaMiddleware,
  toNodeListener,
  type KoaContext,
  type NodeListenerOptions,
  type WebHandler,
} from './adapters/node.ts';

// Types in the signatures above.
export type { RequestOrigin } from './adapters/node.ts';
export type { Withdrawal } from './formats/format.ts';
export type { StatedFieldName } from './register/fields.ts';
export type { FilterField, FilterTest } from './register/finding/filters.ts';
export type { TextsParameter } from './register/parameters.ts';
export type { IncomingRequest } from './web/incoming-request.ts';
export type { HeaderFields, HttpResponse } from './web/representation.ts';
