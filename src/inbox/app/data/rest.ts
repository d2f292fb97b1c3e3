/** A module of the application, so that its chunk has no more of the REST client than the application uses. */
export { createRestClient } from 'supabase-protocol-clients/rest-client';
