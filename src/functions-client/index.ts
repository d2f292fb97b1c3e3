/** Public names of the functions client. */
export { createFunctionsClient } from './functions-client.ts';
export type { FunctionsClient, FunctionsClientOptions, InvokeOptions } from './functions-client.ts';
export { FunctionsError } from './errors.ts';
export type { FunctionsErrorCode, FunctionsErrorFields } from './errors.ts';
export type { ServerSentEvent } from './server-sent-events.ts';
