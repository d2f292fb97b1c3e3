import { onTestFinished } from 'vitest';
import { createClaims } from '../../../src/auth-client/features/claims.ts';
import { createSupabaseClients } from '../../../src/clients/supabase-clients.ts';
import { hashOf, settled, listenVendor, listen, type AuthRow, type AuthTools } from './auth-tools.ts';

/** Rows about the client's life and its events. */
export function eventRows({ connectVendor }: AuthTools): readonly AuthRow[] {
  return [
    {
      cell: '`initialize()`, implicit',
      vendor: async ({ auth }) => {
        await auth.initialize();
        return (await auth.getSession()).data.session;
      },
      here: async ({ auth }) => (await auth.start()).session,
    },
    {
      cell: '`getSession()` → `{ data: { session } }`',
      vendor: async ({ auth, signIn, email }) => {
        await signIn();
        return (await auth.getSession()).data.session?.user.email === email;
      },
      here: async ({ auth, signIn, email }) => {
        await signIn();
        const session = await auth.getSession();
        return session?.user.email === email && auth.getSnapshot().session === session;
      },
    },
    {
      cell: '`getUser()`, `getUser(jwt)` → `{ data: { user } }`',
      vendor: async ({ auth, signIn, email }) => {
        const { access_token: jwt } = await signIn();
        const users = [await auth.getUser(), await auth.getUser(jwt)];
        return users.map(({ data }) => data.user?.email === email);
      },
      here: async ({ auth, signIn, email }) => {
        const { accessToken } = await signIn();
        const users = [await auth.getUser(), await auth.getUser({ accessToken })];
        return users.map((user) => user.email === email);
      },
    },
    {
      cell: '`getClaims()`',
      vendor: async ({ auth, signIn, email }) => {
        await signIn();
        return (await auth.getClaims()).data?.claims['email'] === email;
      },
      here: async ({ auth, signIn, email }) => {
        await signIn();
        return (await createClaims(auth).getClaims())?.['email'] === email;
      },
    },
    {
      cell: '`onAuthStateChange((event, session) => …)`',
      vendor: async ({ auth, signIn }) => {
        const { events } = listenVendor(auth);
        await settled();
        await signIn();
        await auth.signOut();
        return events;
      },
      here: async ({ auth, signIn }) => {
        const { events } = listen(auth);
        await auth.start();
        await signIn();
        await auth.signOut();
        return events;
      },
    },
    {
      cell: '`data.subscription.unsubscribe()`',
      vendor: async ({ auth, signIn }) => {
        const { events, stop } = listenVendor(auth);
        await settled();
        stop();
        await signIn();
        return events;
      },
      here: async ({ auth, signIn }) => {
        const { events, stop } = listen(auth);
        await auth.start();
        stop();
        await signIn();
        return events;
      },
    },
    {
      cell: '`INITIAL_SESSION`, to each listener',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        const { events } = listenVendor(auth);
        await settled();
        return events;
      },
      here: async ({ auth, signIn }) => {
        await signIn();
        const { events } = listen(auth);
        await settled();
        return [...events, auth.getSnapshot().status];
      },
      differs: ['INITIAL_SESSION'],
    },
    {
      cell: '`SIGNED_IN` at each return to the tab',
      vendor: async ({ auth, signIn }) => {
        await signIn();
        const { events } = listenVendor(auth);
        await settled();
        // What the vendor's listener of `visibilitychange` calls; Node has no such event.
        const recover = Reflect.get(auth, '_recoverAndRefresh') as (() => Promise<void>) | undefined;
        await recover?.call(auth);
        return events;
      },
      here: async ({ auth, signIn, signal }) => {
        await auth.start();
        await signIn();
        const { events } = listen(auth);
        signal('hidden');
        signal('visible');
        await settled();
        return events;
      },
      differs: ['INITIAL_SESSION', 'SIGNED_IN'],
      compat: ['INITIAL_SESSION'],
    },
    {
      cell: '`startAutoRefresh()`, `stopAutoRefresh()`',
      vendor: async ({ auth, signIn, email }) => {
        await signIn();
        await auth.startAutoRefresh();
        await auth.stopAutoRefresh();
        return (await auth.getSession()).data.session?.user.email === email;
      },
      here: async ({ auth, signIn, email }) => {
        await signIn();
        auth.close();
        return auth.getSnapshot().user?.email === email;
      },
    },
    {
      cell: '`dispose()`',
      vendor: async ({ auth, signIn, email, storage }) => {
        await signIn();
        await auth.dispose();
        return (await connectVendor(storage).auth.getSession()).data.session?.user.email === email;
      },
      here: async ({ auth, signIn, email, options }) => {
        await signIn();
        auth.close();
        const later = createSupabaseClients(options);
        onTestFinished(() => later.close());
        return (await later.auth.start()).user?.email === email;
      },
    },
    {
      cell: 'event `PASSWORD_RECOVERY`',
      vendor: async ({ auth, email, link }) => {
        await auth.resetPasswordForEmail(email);
        const { events } = listenVendor(auth);
        await settled();
        await auth.verifyOtp({ type: 'recovery', token_hash: hashOf(await link()) });
        return events.includes('PASSWORD_RECOVERY');
      },
      here: async ({ auth, email, link }) => {
        await auth.start();
        await auth.resetPasswordForEmail({ email });
        const { events } = listen(auth);
        await auth.verifyOtp({ type: 'recovery', tokenHash: hashOf(await link()) });
        const wasRecovery = auth.getSnapshot().recovery;
        await auth.updateUser({ password: 'another horse battery' });
        return events.includes('PASSWORD_RECOVERY') && wasRecovery && !auth.getSnapshot().recovery;
      },
    },
  ];
}
