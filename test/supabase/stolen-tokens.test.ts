/** What the database refuses to a stolen token. The rules of each table are in the tests beside this file. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createUser, requestApi, signIn, useLocalSupabase } from '../support/local-supabase.ts';
import type { TestUser } from '../support/local-supabase.ts';
import { registerApplication } from '../support/oauth-application.ts';
import { enrollSecondFactor } from '../support/second-factor.ts';

const supabase = useLocalSupabase({
  auth: { oauthServerEnabled: true, oauthDynamicRegistrationEnabled: true },
});

let attacker: TestUser;
let victim: TestUser;
beforeEach(async () => {
  attacker = await createUser(supabase(), `attacker-${crypto.randomUUID()}@example.com`, 'Mallory');
  victim = await createUser(supabase(), `victim-${crypto.randomUUID()}@example.com`, 'Grace Hopper');
});

const send = (token: string) =>
  requestApi(supabase(), '/rest/v1/notifications', {
    method: 'POST',
    token,
    body: { recipient_id: victim.id, content: '{"type":"edit"}' },
  });
const received = () =>
  supabase().database.query('select id from notifications where recipient_id = $1', [victim.id]);
describe('a thief of a password without the second factor', () => {
  let stolen: string;
  beforeEach(async () => {
    await send(attacker.token);
    await enrollSecondFactor(supabase(), victim.token);
    stolen = await signIn(supabase(), victim.email);
  });

  it('a thief of a password without the second factor reads no notification', async () => {
    const response = await requestApi(supabase(), '/rest/v1/notifications?select=content', { token: stolen });
    expect(await response.json()).toEqual([]);
  });

  it('a thief of a password without the second factor deletes no notification', async () => {
    await requestApi(supabase(), '/rest/v1/notifications?id=not.is.null', {
      method: 'DELETE',
      token: stolen,
    });
    expect(await received()).toHaveLength(1);
  });

  it('a thief of a password without the second factor sends no notification as the victim', async () => {
    expect((await send(stolen)).status).toBe(403);
  });

  it('a thief of a password without the second factor invites no address as the victim', async () => {
    const invitation = await requestApi(supabase(), '/rest/v1/rpc/create_invitation', {
      method: 'POST',
      token: stolen,
      body: { invitee_email: 'x@example.com' },
    });
    expect(invitation.status).toBe(403);
  });
});

it('a token that outlives its account sends no notification', async () => {
  await supabase().database.query('delete from auth.users where id = $1', [attacker.id]);
  expect((await send(attacker.token)).status).toBe(401);
  expect(await received()).toEqual([]);
});

/** The token of another application, in which the user signs in with the account of this one. */
async function tokenOfApplication(user: TestUser): Promise<string> {
  const application = await registerApplication(supabase());
  const path = `/auth/v1/oauth/authorizations/${await application.authorize('openid email profile')}`;
  await requestApi(supabase(), path, { token: user.token });
  const consent = await requestApi(supabase(), `${path}/consent`, {
    method: 'POST',
    token: user.token,
    body: { action: 'approve' },
  });
  const { redirect_url: target } = (await consent.json()) as { redirect_url: string };
  return application.exchange(target);
}

it('an application in which a user signs in with the account reads, sends and deletes nothing', async () => {
  await send(attacker.token);
  const token = await tokenOfApplication(victim);
  expect((await requestApi(supabase(), '/auth/v1/user', { token })).status).toBe(200);
  const list = await requestApi(supabase(), '/rest/v1/notifications?select=content', { token });
  expect([list.status, await list.json()]).toEqual([200, []]);
  for (const call of ['delete_account', 'export_account_data', 'notification_changes']) {
    const response = await requestApi(supabase(), `/rest/v1/rpc/${call}`, {
      method: 'POST',
      token,
      body: call.endsWith('changes') ? { since: null } : {},
    });
    expect([call, response.status, await response.json()]).toMatchObject([
      call,
      403,
      { message: 'application_not_allowed' },
    ]);
  }
  expect(await send(token)).toMatchObject({ status: 403 });
});
