import { createHash } from 'node:crypto';
import type { LocalSupabase } from 'local-supabase';
import { requestApi } from './local-supabase.ts';

export const redirectUri = 'https://tool.example/callback';
const verifier = 'v'.repeat(43);

/** Another application, in which people sign in with their accounts of this one (OAuth 2.1), as a separate page would. */
export interface OAuthApplication {
  readonly clientId: string;
  /** Sends the browser to this application; returns the id that the consent page gets. */
  authorize(scope?: string): Promise<string>;
  /** The access token for the code of the redirect after the consent. */
  exchange(redirectUrl: string): Promise<string>;
}

/** Registers an application. The project must allow it: `oauthServerEnabled` and `oauthDynamicRegistrationEnabled`. */
export async function registerApplication(
  supabase: LocalSupabase,
  target = redirectUri,
  name = 'Tool',
): Promise<OAuthApplication> {
  const ask = async (path: string, body?: unknown) =>
    requestApi(supabase, `/auth/v1/oauth/${path}`, { method: body ? 'POST' : 'GET', body });
  const registered = await ask('clients/register', {
    client_name: name,
    redirect_uris: [target],
    token_endpoint_auth_method: 'none',
  });
  const { client_id: clientId } = (await registered.json()) as { readonly client_id: string };
  return {
    clientId,
    async authorize(scope = 'openid email') {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: target,
        response_type: 'code',
        scope,
        state: 's',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const begun = await ask(`authorize?${query.toString()}`);
      return new URL(begun.headers.get('location') ?? '').searchParams.get('authorization_id') ?? '';
    },
    async exchange(redirectUrl) {
      const issued = await ask('token', {
        grant_type: 'authorization_code',
        client_id: clientId,
        code: new URL(redirectUrl).searchParams.get('code'),
        redirect_uri: target,
        code_verifier: verifier,
      });
      return ((await issued.json()) as { readonly access_token: string }).access_token;
    },
  };
}
