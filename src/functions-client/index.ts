export { createFunctionsClient } from './functions-client.ts';
export type {
  FunctionsClient,
  FunctionsClientOptions,
  InvokeOptions,
  ResultSchema,
} from './functions-client.ts';
export { FunctionsError } from './errors.ts';
export type { FunctionsErrorKind } from './errors.ts';
export type { ServerSentEvent } from './server-sent-events.ts';
