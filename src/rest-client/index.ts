export { createRestClient } from './rest-client.ts';
export type { FunctionQuery, RestClient, RestClientOptions, TableDefinition } from './rest-client.ts';
export { RestError } from './errors.ts';
export type { RestErrorFields, RestErrorKind } from './errors.ts';
export type { Answer } from './answer.ts';
export type { RetryOptions } from './retry.ts';
export type { Columns, Plan, RestRequest } from './plan.ts';
export type { Model, UnknownDatabase } from './model.ts';
export type { Json } from './row.ts';
export { by } from './order.ts';
export type { OrderOptions } from './order.ts';
export type {
  Counted,
  CountKind,
  CountQuery,
  ExecuteOptions,
  FilteredWriteQuery,
  Form,
  InsertOptions,
  Modifier,
  Query,
  RowsQuery,
  Table,
  UpsertOptions,
  WriteQuery,
} from './query.ts';

export { and, eq, is, neq, not, oneOf, or } from './filter.ts';
export type { Filter, Quantified } from './filter.ts';
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
} from './filters.ts';
export type { TextSearchOptions } from './filters.ts';

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
} from './shape.ts';
export type { Embed, EmbedOptions, Shape, Shaped } from './shape.ts';
export { rawSelect } from './select.ts';

export { csv, explain, explainText, geojson, location, rowCount } from './forms.ts';
export type { ExplainOptions, FeatureCollection } from './forms.ts';
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
} from './modifiers.ts';
export { viaGet } from './rpc-reads.ts';
export { parsed } from './standard-schema.ts';
export type { StandardSchema, Validate } from './standard-schema.ts';
