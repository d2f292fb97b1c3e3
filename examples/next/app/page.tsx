import { connection } from 'next/server';
import { Suspense } from 'react';
import { createPageClients } from '../lib/supabase';

/** The heading is rendered ahead; the account waits for the request. */
export default function Page() {
  return (
    <main>
      <h1>Todos</h1>
      <Suspense fallback={<p>Loading…</p>}>
        <Account />
      </Suspense>
      <Suspense fallback={<p>…</p>}>
        <ServerTime />
      </Suspense>
    </main>
  );
}

async function Account() {
  const { auth } = await createPageClients();
  const token = await auth.getAccessToken();
  if (token === null) return <a href="/login">Sign in</a>;
  // The cookie comes from the browser: `getUser()` asks the auth service.
  const { email } = await auth.getUser();
  return (
    <p>
      Signed in as {email}: <a href="/todos">your todos</a>
    </p>
  );
}

/** Reads neither cookies nor headers: `connection()` says that it waits for a request all the same. */
async function ServerTime() {
  await connection();
  return <p>Rendered at {timeNow()}</p>;
}

const timeNow = () => new Date().toISOString();
