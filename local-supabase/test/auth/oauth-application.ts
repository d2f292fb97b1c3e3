import { type AuthResponse, type AuthWorld, createVerifier, openAuthWorld } from './auth-world.ts';

export const redirectUri = 'https://tool.example/callback';
export const { verifier, challenge } = createVerifier();

export const form = (fields: Readonly<Record<string, string>>): string =>
  new URLSearchParams(fields).toString();

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

export const basic = ({ client_id: id, client_secret: secret }: Client): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
export const bodyOf = ({ body }: AuthResponse): Readonly<Record<string, unknown>> =>
  body as unknown as Readonly<Record<string, unknown>>;
export const targetOf = (response: AuthResponse): URL => new URL(String(bodyOf(response)['redirect_url']));

export type OAuthApplication = Awaited<ReturnType<typeof openOAuthApplication>>;

/** Opens an auth service with a registered application and a signed-in user, and provides the steps of the flow. */
export async function openOAuthApplication() {
  const world: AuthWorld = await openAuthWorld();
  const register = async (fields: Readonly<Record<string, unknown>> = {}): Promise<Client> => {
    const wanted = { redirect_uris: [redirectUri], client_name: 'Tool', ...fields };
    return (await world.post('/oauth/clients/register', wanted)).body as unknown as Client;
  };
  const client = await register();
  const session = await world.signedUp();
  const registerPublic = async (): Promise<Client> => register({ token_endpoint_auth_method: 'none' });
  const authorize = async (params: Readonly<Record<string, string>> = {}): Promise<AuthResponse> =>
    world.get(
      `/oauth/authorize?${form({
        client_id: client.client_id,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid email profile',
        state: 'a state~*',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...params,
      })}`,
    );
  const begin = async (params?: Readonly<Record<string, string>>): Promise<string> =>
    (await authorize(params)).location.searchParams.get('authorization_id') ?? '';
  const read = async (id: string, as = session.access_token): Promise<AuthResponse> =>
    world.get(`/oauth/authorizations/${id}`, { token: as });
  const decide = async (id: string, action: string, as = session.access_token): Promise<AuthResponse> =>
    world.post(`/oauth/authorizations/${id}/consent`, { action }, { token: as });
  /** Obtains a code, after consent unless an earlier consent covers the scopes. */
  const obtainCode = async (params?: Readonly<Record<string, string>>): Promise<string> => {
    const id = await begin(params);
    const opened = await read(id);
    const target = targetOf('redirect_url' in opened.body ? opened : await decide(id, 'approve'));
    return target.searchParams.get('code') ?? '';
  };
  const exchange = async (
    fields: Readonly<Record<string, string>>,
    authorization = basic(client),
  ): Promise<AuthResponse> =>
    world.post('/oauth/token', form(fields), {
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization },
    });
  const exchangeCode = async (code: string, fields = {}): Promise<AuthResponse> =>
    exchange({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...fields,
    });
  return {
    world,
    client,
    token: session.access_token,
    userId: session.user.id,
    register,
    registerPublic,
    authorize,
    begin,
    read,
    decide,
    obtainCode,
    exchange,
    exchangeCode,
  };
}
