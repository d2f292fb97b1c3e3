import { beforeAll, describe, expect, it } from 'vitest';
import { ada, requestApi, seedPassword, useLocalSupabase } from '../../test/support/local-supabase.ts';

const received: unknown[] = [];
const supabase = useLocalSupabase({
  auth: {
    hooks: {
      custom_access_token: { uri: 'pg-functions://postgres/public/add_members' },
      send_email: { uri: 'http://host.docker.internal:54321/functions/v1/mail-hook' },
    },
  },
  functionSettings: { 'mail-hook': { verifyJwt: false } },
  functions: {
    'mail-hook': async (request) => {
      received.push(await request.json());
      return Response.json({});
    },
  },
});

beforeAll(() =>
  supabase().database.exec(`
    create table public.members (user_id uuid, team text);
    alter table public.members enable row level security;
    insert into public.members select id, 'blue' from auth.users;
    grant select on public.members to supabase_auth_admin;
    create policy "hooks read members" on public.members for select to supabase_auth_admin using (true);
    create function public.add_members(event jsonb) returns jsonb language sql as $$
      select jsonb_set(event, '{claims,team}', to_jsonb(m.team) || jsonb_build_array(u.email))
      from public.members m join auth.users u on u.id = m.user_id where u.id = (event ->> 'user_id')::uuid $$;`),
);

describe('the hooks of a project', () => {
  it('can be database functions that read the tables of the project and of auth', async () => {
    const body = { email: ada.email, password: seedPassword };
    const response = await requestApi(supabase(), '/auth/v1/token?grant_type=password', {
      method: 'POST',
      body,
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const [, payload = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    expect(claims['team']).toEqual(['blue', ada.email]);
  });

  it('can be edge functions of a project without a port', async () => {
    const body = { email: ada.email };
    const response = await requestApi(supabase(), '/auth/v1/recover', { method: 'POST', body });
    expect(response.status).toBe(200);
    expect(received).toMatchObject([
      { user: { email: ada.email }, email_data: { email_action_type: 'recovery' } },
    ]);
  });
});
