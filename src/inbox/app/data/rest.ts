/** Re-exports what the application uses of the REST client, so that the chunk contains no more of it. */
export { createRestClient } from 'supabase-protocol-clients/rest-client';
