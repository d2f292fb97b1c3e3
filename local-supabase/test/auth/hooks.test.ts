import { createHmac } from 'node:crypto';

import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';

import type { HookName } from '../../src/services/auth/hooks/hook-settings.ts';
import { type AuthWorld, freshEmail, openAuthWorld, password, readClaims } from './auth-world.ts';

const secret = `v1,whsec_${Buffer.from('a key of more than twenty-four bytes').toString('base64')}`;
const uri = 'https://hooks.example.com/auth';

interface SentHook {
  readonly headers: Headers;
  readonly text: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A world with hooks at an endpoint that `respond` simulates. */
async function openEndpointWorld(
  names: readonly HookName[],
  respond: (sent: SentHook) => Response,
): Promise<{ readonly world: AuthWorld; readonly sent: SentHook[]; readonly pauses: number[] }> {
  const sent: SentHook[] = [];
  const pauses: number[] = [];
  const hooks = Object.fromEntries(names.map((name) => [name, { uri, secrets: [secret] }]));
  const world = await openAuthWorld({ hooks }, [], {
    transport: {
      async fetch(request) {
        const text = await request.text();
        const hook = { headers: request.headers, text, payload: JSON.parse(text) as SentHook['payload'] };
        sent.push(hook);
        return respond(hook);
      },
      sleep: async (delayMs) => void pauses.push(delayMs),
    },
  });
  return { world, sent, pauses };
}

const openFunctionWorld = async (name: HookName, functionName: string): Promise<AuthWorld> =>
  openAuthWorld({ hooks: { [name]: { uri: `pg-functions://postgres/public/${functionName}` } } }, [], {
    report: () => undefined,
  });

beforeAll(async () => {
  const { database } = await openAuthWorld();
  await database.exec(`
    create table public.attempts (payload jsonb);
    grant all on public.attempts to supabase_auth_admin;
    create function public.add_role(event jsonb) returns jsonb language sql as $$
      select jsonb_build_object('claims', event -> 'claims' || jsonb_build_object(
        'user_role', 'editor', 'by', event ->> 'authentication_method', 'runs_as', current_user)) $$;
    create function public.private_hook(event jsonb) returns jsonb language sql as 'select event';
    revoke execute on function public.private_hook from public;
    create function public.no_claims(event jsonb) returns jsonb language sql as $$ select '{}'::jsonb $$;
    create function public.few_claims(event jsonb) returns jsonb language sql as $$
      select jsonb_set(event #- '{claims,email}', '{claims,exp}', '"soon"') $$;
    create function public.count_attempts(event jsonb) returns jsonb language plpgsql as $$ begin
      insert into public.attempts values (event);
      return case when event ->> 'valid' = 'true' then '{"decision": "continue"}'::jsonb
        when (select count(*) from public.attempts where payload ->> 'user_id' = event ->> 'user_id') > 1
        then '{"decision": "reject", "should_logout_user": true}' else null end;
    end $$;
    create function public.refuse(event jsonb) returns jsonb language sql as $$
      select '{"error": {"http_code": 429, "message": "Later, please"}}'::jsonb $$;`);
});

describe('the hook custom_access_token', () => {
  it("replaces the claims of each access token, with the service's role and the method of the sign-in", async () => {
    const world = await openFunctionWorld('custom_access_token', 'add_role');
    const session = await world.signedUp();
    expect(readClaims(session.access_token)).toMatchObject({
      sub: session.user.id,
      user_role: 'editor',
      by: 'otp',
      runs_as: 'supabase_auth_admin',
    });
    const { body } = await world.post('/token?grant_type=refresh_token', session);
    expect(readClaims(body.access_token)['by']).toBe('token_refresh');
    expect((await world.get('/user', { token: body.access_token })).status).toBe(200);
  });

  it.each([
    ['private_hook', 'Error running hook URI: pg-functions://postgres/public/private_hook'],
    ['no_claims', 'output claims field is missing'],
    [
      'few_claims',
      'output claims do not conform to the expected schema: \n- (root): email is required\n- exp: Invalid type. Expected: integer, given: string\n',
    ],
    ['refuse', 'Later, please'],
  ])('fails the sign-in by %s and leaves no session', async (name, message) => {
    const email = freshEmail();
    const { user } = await (await openAuthWorld()).signedUp(email);
    const world = await openFunctionWorld('custom_access_token', name);
    const { status, body } = await world.post('/token?grant_type=password', { email, password });
    expect({ status, ...body }).toEqual(
      name === 'refuse'
        ? { status: 429, code: 'unknown', message }
        : { status: 500, code: 'unexpected_failure', message },
    );
    const sessions = await world.database.query('select 1 from auth.sessions where user_id = $1', [user.id]);
    expect(sessions).toHaveLength(1);
  });
});

describe('the hooks of attempts', () => {
  it('keep their writes for a wrong password, and sign the user out when they reject an attempt', async () => {
    const email = freshEmail();
    const { user } = await (await openAuthWorld()).signedUp(email);
    const world = await openFunctionWorld('password_verification_attempt', 'count_attempts');
    const attempt = async () => {
      const { status, body } = await world.post('/token?grant_type=password', { email, password: 'wrong' });
      return [status, body.code, body.message];
    };
    expect(await attempt()).toEqual([400, 'invalid_credentials', 'Invalid login credentials']);
    const message = 'Further password verification attempts will be rejected.';
    expect(await attempt()).toEqual([400, 'invalid_credentials', message]);
    expect(
      await world.database.query('select 1 from auth.sessions where user_id = $1', [user.id]),
    ).toHaveLength(0);
  });

  it("end the user's sessions when they reject a code", async () => {
    const world = await openFunctionWorld('mfa_verification_attempt', 'count_attempts');
    const session = await world.signedUp();
    const options = { token: session.access_token };
    const { body: factor } = await world.post('/factors', { factor_type: 'totp' }, options);
    const { body: challenge } = await world.post(`/factors/${factor.id}/challenge`, {}, options);
    const totp = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) });
    const right = totp.generate({ timestamp: world.nowMs() });
    const wrong = right === '000000' ? '000001' : '000000';
    const attempt = async (code: string) => {
      const proof = { challenge_id: challenge.id, code };
      const response = await world.post(`/factors/${factor.id}/verify`, proof, options);
      return [response.status, response.body.code, response.body.message];
    };
    expect(await attempt(wrong)).toEqual([422, 'mfa_verification_failed', 'Invalid TOTP code entered']);
    const message = 'Further MFA verification attempts will be rejected.';
    expect(await attempt(wrong)).toEqual([403, 'mfa_verification_rejected', message]);
    const goneMessage = 'Session from session_id claim in JWT does not exist';
    expect(await attempt(right)).toEqual([403, 'session_not_found', goneMessage]);
  });
});

describe('an endpoint as a hook', () => {
  it('is reported when it times out, because the database waits for it', async () => {
    const reported: unknown[] = [];
    const world = await openAuthWorld({ hooks: { custom_access_token: { uri } } }, [], {
      report: (problem) => reported.push(problem),
      transport: {
        fetch: async () => {
          throw new DOMException('The operation timed out', 'TimeoutError');
        },
      },
    });
    expect((await world.post('/signup', {})).status).toBe(500);
    expect(reported).toEqual([
      new Error(
        'The auth hook custom_access_token timed out. The database handles no other request until it returns.',
      ),
    ]);
  });

  it('receives a signed request with the payload of the hook', async () => {
    const { world, sent } = await openEndpointWorld(['custom_access_token'], ({ payload }) =>
      Response.json({ claims: { ...(payload['claims'] as object), plan: 'team' } }),
    );
    const session = await world.signedUp();
    expect(readClaims(session.access_token)['plan']).toBe('team');
    const [hook] = sent;
    expect(hook?.payload).toMatchObject({
      user_id: session.user.id,
      authentication_method: 'otp',
      metadata: { name: 'customize-access-token', ip_address: '127.0.0.1', time: '2026-01-01T00:00:00.000Z' },
    });
    const [id, at] = [hook?.headers.get('webhook-id'), hook?.headers.get('webhook-timestamp')];
    const key = Buffer.from(secret.replace('v1,whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${at}.${hook?.text}`).digest('base64');
    expect(hook?.headers.get('webhook-signature')).toBe(`v1,${signature}`);
    expect(at).toBe(String(world.nowMs() / 1000));
  });

  it.each<[string, () => Response, number, readonly [number, string, string], readonly number[]]>([
    [
      'another status',
      () => new Response(null, { status: 418 }),
      1,
      [500, 'unexpected_failure', 'Unexpected status code returned from hook: 418'],
      [],
    ],
    [
      '429 with retry-after',
      () => new Response(null, { status: 429, headers: { 'retry-after': '1' } }),
      3,
      [500, 'unexpected_failure', 'Service currently unavailable due to hook'],
      [],
    ],
    [
      'text',
      () => new Response('hello'),
      1,
      [
        400,
        'hook_payload_invalid_content_type',
        'Invalid JSON response. Received content-type: text/plain;charset=UTF-8',
      ],
      [],
    ],
    [
      'too much',
      () => Response.json({ text: 'x'.repeat(204_800) }),
      1,
      [422, 'hook_payload_over_size_limit', 'Payload size exceeded size limit of 204800 bytes'],
      [],
    ],
    [
      'an error of its own',
      () => Response.json({ error: { http_code: 403, message: 'Not you' } }),
      1,
      [403, 'unknown', 'Not you'],
      [],
    ],
    [
      'no connection',
      () => {
        throw new TypeError('fetch failed');
      },
      3,
      [422, 'hook_timeout_after_retry', 'Failed to reach hook after maximum retries'],
      [2000, 2000],
    ],
    [
      'a timeout',
      () => {
        throw new DOMException('The operation timed out', 'TimeoutError');
      },
      1,
      [422, 'hook_timeout', 'Failed to reach hook within maximum time of 5.000000 seconds'],
      [],
    ],
  ])('fails the request by %s', async (_, respond, attempts, [status, code, message], expectedPauses) => {
    const email = freshEmail();
    await (await openAuthWorld()).signedUp(email);
    const { world, sent, pauses } = await openEndpointWorld(['password_verification_attempt'], respond);
    const response = await world.post('/token?grant_type=password', { email, password });
    expect([response.status, response.body.code, response.body.message]).toEqual([status, code, message]);
    expect(sent).toHaveLength(attempts);
    expect(pauses).toEqual(expectedPauses);
  });

  it.each([
    ['http://hooks.example.com', secret, 'http is allowed for this machine only'],
    ['pg-functions://postgres/public', secret, 'its path has to name a schema and a function'],
    [uri, 'whsec_short', 'a secret has another form'],
  ])('is rejected at the start as %s with %s', async (address, key, why) => {
    await expect(openAuthWorld({ hooks: { send_sms: { uri: address, secrets: [key] } } })).rejects.toThrow(
      why,
    );
  });
});
