import { connection } from 'next/server';
import { Suspense } from 'react';
import { createPageClients } from '../lib/supabase';

/** The heading is prerendered; the account waits for the request. */
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
  // The cookie is not verified: `getUser()` asks the auth service.
  const { email } = await auth.getUser();
  return (
    <p>
      Signed in as {email}: <a href="/todos">your todos</a>
    </p>
  );
}

/** Reads neither cookies nor headers: `connection()` makes it wait for a request nevertheless. */
async function ServerTime() {
  await connection();
  return <p>Rendered at {timeNow()}</p>;
}

const timeNow = () => new Date().toISOString();
