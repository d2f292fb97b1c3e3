export { createRestClient } from './rest-client.ts';
export type { FunctionQuery, RestClient, RestClientOptions, TableDefinition } from './rest-client.ts';
export { RestError } from './errors.ts';
export type { RestErrorKind } from './errors.ts';
export type { Answer } from './answer.ts';
export type { RetryOptions } from './retry.ts';
export type { RestRequest } from './plan.ts';
export type { StandardSchema, Validate } from './standard-schema.ts';
export type {
  Counted,
  CountKind,
  CountQuery,
  ExecuteOptions,
  FilteredWriteQuery,
  Form,
  InsertOptions,
  Modifier,
  OrderOptions,
  Query,
  RowsQuery,
  Table,
  UpsertOptions,
  WriteQuery,
} from './query.ts';
export { and, eq, is, neq, not, oneOf, or } from './filter.ts';
export type { Filter, Quantified } from './filter.ts';
