/** For servers: who sent a request, and clients whose session is in the request's cookies. */
export { createRequestCookies, createServerClients } from './server-clients.ts';
export type { ServerClients, ServerClientsOptions } from './server-clients.ts';
export { verifyRequest } from './verify-request.ts';
export type { Caller, VerifiedRequest, VerifyRequestOptions } from './verify-request.ts';
export { NO_STORE_HEADERS, serializeCookie } from '../auth-client/server/cookies-to-set.ts';
export type { CookieAttributes, CookieScope, CookieToSet } from '../auth-client/server/cookies-to-set.ts';
export { readSessionCookies } from '../auth-client/server/server-store.ts';
export type { ServerCookies } from '../auth-client/server/server-store.ts';
export { parseCookieHeader } from '../auth-client/storage/cookie-store.ts';
