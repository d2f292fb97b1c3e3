import { createIdToken } from '../../../src/auth-client/features/id-token.ts';
import { createSso } from '../../../src/auth-client/features/sso.ts';
import { createWeb3 } from '../../../src/auth-client/features/web3.ts';
import { seedPassword } from '../../support/local-supabase.ts';
import { redirectTo, codeOf, codeHere, hashOf, type AuthRow, type AuthTools } from './auth-tools.ts';

export function signInRows({ supabase, connectVendor, follow }: AuthTools): readonly AuthRow[] {
  return [
    {
      cell: '`signUp({ email, password, options: { data, emailRedirectTo } })`',
      vendor: async ({ auth, email, password }) => {
        const options = { data: { name: 'Mig' }, emailRedirectTo: redirectTo };
        const { data } = await auth.signUp({ email: `new-${email}`, password, options });
        return [data.user?.user_metadata['name'], data.session];
      },
      here: async ({ auth, email, password }) => {
        const { user, session } = await auth.signUp({
          email: `new-${email}`,
          password,
          data: { name: 'Mig' },
          redirectTo,
        });
        return [user.user_metadata?.['name'], session];
      },
    },
    {
      cell: '`signInWithPassword({ email, password, options: { captchaToken } })`',
      vendor: async ({ auth, email, password }) => {
        const { data } = await auth.signInWithPassword({ email, password, options: { captchaToken: 'x' } });
        return data.user?.email === email;
      },
      here: async ({ auth, email, password }) => {
        const { user } = await auth.signInWithPassword({ email, password, captchaToken: 'x' });
        return user.email === email;
      },
    },
    {
      cell: '`signInWithOtp({ email, options: { shouldCreateUser } })`',
      vendor: ({ auth, email }) =>
        codeOf(auth.signInWithOtp({ email: `no-${email}`, options: { shouldCreateUser: false } })),
      here: ({ auth, email }) => codeHere(auth.signInWithOtp({ email: `no-${email}`, createUser: false })),
    },
    {
      cell: '`signInAnonymously({ options: { data } })`',
      vendor: async ({ auth }) => {
        const { data } = await auth.signInAnonymously({ options: { data: { name: 'Guest' } } });
        return [data.user?.is_anonymous, data.user?.user_metadata['name']];
      },
      here: async ({ auth }) => {
        const { user } = await auth.signInAnonymously({ data: { name: 'Guest' } });
        return [user.is_anonymous, user.user_metadata?.['name']];
      },
    },
    {
      cell: '`verifyOtp({ type, email, token })`, `{ type, token_hash }`',
      vendor: async ({ auth, email, code, link }) => {
        await auth.signInWithOtp({ email });
        const byCode = await auth.verifyOtp({ type: 'email', email, token: await code() });
        await auth.signInWithOtp({ email });
        const byHash = await auth.verifyOtp({ type: 'email', token_hash: hashOf(await link()) });
        return [byCode, byHash].map(({ data }) => data.user?.email === email);
      },
      here: async ({ auth, email, code, link }) => {
        await auth.signInWithOtp({ email });
        const byCode = await auth.verifyOtp({ type: 'email', email, token: await code() });
        await auth.signInWithOtp({ email });
        const byHash = await auth.verifyOtp({ type: 'email', tokenHash: hashOf(await link()) });
        return [byCode, byHash].map(({ session }) => session?.user.email === email);
      },
    },
    {
      cell: '`resetPasswordForEmail(email, { redirectTo })`',
      vendor: async ({ auth, email, link }) => {
        await auth.resetPasswordForEmail(email, { redirectTo });
        return (await link()).searchParams.get('type');
      },
      here: async ({ auth, email, link }) => {
        await auth.resetPasswordForEmail({ email, redirectTo });
        return (await link()).searchParams.get('type');
      },
    },
    {
      cell: '`signInWithOAuth({ provider, options })`, which navigates',
      vendor: async ({ auth }) => {
        const options = { redirectTo, scopes: 'repo', skipBrowserRedirect: true };
        const { data } = await auth.signInWithOAuth({ provider: 'github', options });
        return authorizationOf(data.url);
      },
      here: async ({ auth }) => {
        const { url } = await auth.signInWithOAuth({ provider: 'github', redirectTo, scopes: 'repo' });
        return authorizationOf(url);
      },
    },
    {
      cell: '`signInWithIdToken(…)`, `signInWithSSO(…)`, `signInWithWeb3(…)`',
      vendor: ({ auth }) =>
        Promise.all([
          codeOf(auth.signInWithIdToken({ provider: 'google', token: 'a.b.c' })),
          codeOf(auth.signInWithSSO({ domain: 'example.com' })),
          codeOf(auth.signInWithWeb3({ chain: 'ethereum', message: 'hello', signature: '0x00' })),
        ]),
      here: ({ auth }) =>
        Promise.all([
          codeHere(createIdToken(auth).signInWithIdToken({ provider: 'google', token: 'a.b.c' })),
          codeHere(createSso(auth).signInWithSso({ domain: 'example.com' })),
          codeHere(
            createWeb3(auth).signInWithWeb3({ chain: 'ethereum', message: 'hello', signature: '0x00' }),
          ),
        ]),
    },
    {
      cell: '`refreshSession()`, `refreshSession({ refresh_token })`',
      vendor: async ({ auth, signIn, email }) => {
        await signIn();
        const { data } = await auth.refreshSession();
        const own = await auth.refreshSession({ refresh_token: data.session?.refresh_token ?? '' });
        return [data, own.data].map(({ session }) => session?.user.email === email);
      },
      here: async ({ auth, signIn, email }) => {
        await signIn();
        const other = await connectVendor().auth.signInWithPassword({ email, password: seedPassword });
        const sessions = [
          await auth.refreshSession(),
          await auth.refreshSession({ refreshToken: other.data.session?.refresh_token ?? '' }),
        ];
        return sessions.map(({ user }) => user.email === email);
      },
    },
    {
      cell: '`setSession({ access_token, refresh_token })`',
      vendor: async ({ auth, email, password }) => {
        const { data } = await connectVendor().auth.signInWithPassword({ email, password });
        const { access_token = '', refresh_token = '' } = data.session ?? {};
        return (await auth.setSession({ access_token, refresh_token })).data.user?.email === email;
      },
      here: async ({ auth, email, password }) => {
        const { data } = await connectVendor().auth.signInWithPassword({ email, password });
        const { access_token: accessToken = '', refresh_token: refreshToken = '' } = data.session ?? {};
        return (await auth.setSession({ accessToken, refreshToken })).user.email === email;
      },
    },
    {
      cell: '`exchangeCodeForSession(code)`',
      vendor: async ({ auth, email, link }) => {
        await auth.signInWithOtp({ email, options: { emailRedirectTo: redirectTo } });
        const code = (await follow(await link())).searchParams.get('code') ?? '';
        return (await auth.exchangeCodeForSession(code)).data.user?.email === email;
      },
      here: async ({ auth, email, link }) => {
        await auth.signInWithOtp({ email, redirectTo });
        const code = (await follow(await link())).searchParams.get('code') ?? '';
        await auth.exchangeCodeForSession({ code });
        return auth.getSnapshot().user?.email === email;
      },
    },
    {
      cell: '`signOut({ scope })`',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        const restore = supabase().faults.add({ path: '/auth/v1/logout', lose: 'request' });
        await auth.signOut({ scope: 'local' });
        restore();
        return (await auth.getSession()).data.session === null;
      },
      here: async ({ auth, signIn }) => {
        await signIn();
        const restore = supabase().faults.add({ path: '/auth/v1/logout', lose: 'request' });
        const { revoked } = await auth.signOut({ scope: 'local' });
        restore();
        return !revoked && auth.getSnapshot().session === null;
      },
    },
  ];
}

function authorizationOf(address: string | null) {
  const { pathname, searchParams } = new URL(address ?? '');
  const names = ['provider', 'redirect_to', 'scopes', 'code_challenge_method'];
  return [pathname, ...names.map((name) => searchParams.get(name)?.toLowerCase())];
}
