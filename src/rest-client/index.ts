/**
 * The REST client: queries of tables, views and functions. Features with separate entries: `table`,
 * `tanstack-query`.
 */
export { createRestClient } from './rest-client.ts';
export type {
  FunctionQuery,
  OpenApiSpec,
  RestClient,
  RestClientOptions,
  TableDefinition,
} from './rest-client.ts';
export { RestError } from './errors.ts';
export type { RestErrorCode, RestErrorFields } from './errors.ts';

// Calls.
export type { QueryResponse } from './query/response.ts';
export type { RetryOptions } from './wire/retry.ts';
export type { Columns, RestRequest } from './query/plan.ts';
export type { Model, UnknownDatabase } from './types/model.ts';
export type { Json } from './types/column.ts';

// Queries.
export { by } from './query/query.ts';
export type {
  OrderOptions,
  Counted,
  CountKind,
  CountQuery,
  ExecuteOptions,
  FilteredWriteQuery,
  FunctionRowQuery,
  FunctionRowsQuery,
  InsertOptions,
  Modifier,
  Query,
  RowsQuery,
  Selectable,
  Table,
  UnfilteredWrite,
  UpsertOptions,
  WriteQuery,
  Yields,
} from './query/query.ts';

// Filters.
export type { Filterable } from './query/filter-methods.ts';
export { and, eq, is, neq, not, oneOf, or } from './query/filter.ts';
export type { Filter, Quantified } from './query/filter.ts';
export {
  allOf,
  anyOf,
  containedBy,
  contains,
  containsJson,
  gt,
  gte,
  hasNoRelated,
  hasRelated,
  ilike,
  imatch,
  includes,
  isDistinct,
  like,
  lt,
  lte,
  match,
  matches,
  overlaps,
  rangeAdjacent,
  rangeGt,
  rangeGte,
  rangeLt,
  rangeLte,
  rangeOf,
  startsWith,
  textSearch,
} from './query/filters.ts';
export type { TextSearchOptions } from './query/filters.ts';

// What is selected.
export {
  asBigint,
  avg,
  countRows,
  embed,
  json,
  jsonText,
  max,
  min,
  relatedColumn,
  shape,
  sum,
} from './query/shape.ts';
export type { Embed, EmbedOptions, Shape, Shaped } from './query/shape.ts';
export { rawSelect } from './query/select.ts';

// Forms of the result, and modifiers.
export { csv, exactIntegers, explain, explainText, geojson, location, rowCount } from './query/forms.ts';
export type { ExactIntegers, ExplainOptions, FeatureCollection } from './query/forms.ts';
export {
  expectAffected,
  header,
  maxAffected,
  prefer,
  rawParam,
  replacing,
  rollback,
  stripNulls,
  timezone,
} from './query/modifiers.ts';
export { viaGet } from './query/rpc-reads.ts';

// Schemas.
export { parsed } from './results/standard-schema.ts';
export type { Validate } from './results/standard-schema.ts';
export type { StandardSchema } from '../platform/standard-schema.ts';

// Reads that take several requests, or share one.
export { inChunks } from './long-reads/chunks.ts';
export type { ChunksOptions } from './long-reads/chunks.ts';
export { pages } from './long-reads/pages.ts';
export type { PageKey, PagesOptions } from './long-reads/pages.ts';
export { shareReads } from './share-reads/share-reads.ts';
