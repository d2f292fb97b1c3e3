/** The functions client: edge functions and their server-sent events. */
export { createFunctionsClient } from './functions-client.ts';
export type { FunctionsClient, FunctionsClientOptions } from './functions-client.ts';
export { FunctionsError } from './errors.ts';
export type { FunctionsErrorCode, FunctionsErrorFields } from './errors.ts';

// Calls.
export type { InvokeOptions } from './functions-client.ts';
export type { ServerSentEvent } from './server-sent-events.ts';
