export { createRestClient } from './rest-client.ts';
export type { FunctionQuery, RestClient, RestClientOptions, TableDefinition } from './rest-client.ts';
export type { SharedRead, SharedReads } from './wire/exchange.ts';
export { RestError } from './errors.ts';
export type { RestErrorFields, RestErrorCode } from './errors.ts';
export type { Answer } from './wire/answer.ts';
export type { RetryOptions } from './wire/retry.ts';
export type { Columns, Plan, RestRequest } from './query/plan.ts';
export type { Model, UnknownDatabase } from './types/model.ts';
export type { Json } from './types/row.ts';
export { by } from './query/order.ts';
export type { OrderOptions } from './query/order.ts';
export type {
  Counted,
  CountKind,
  CountQuery,
  ExecuteOptions,
  FilteredWriteQuery,
  Form,
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
} from './query/query.ts';

export type { Filterable } from './query/filterable.ts';
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

export { csv, explain, explainText, geojson, location, rowCount } from './query/forms.ts';
export type { ExplainOptions, FeatureCollection } from './query/forms.ts';
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
export { parsed } from './results/standard-schema.ts';
export type { Validate } from './results/standard-schema.ts';
export type { StandardSchema } from '../platform/standard-schema.ts';
