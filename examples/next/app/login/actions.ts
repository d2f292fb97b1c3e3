'use server';

import { redirect } from 'next/navigation';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { textOf } from '../../lib/form';
import { createActionClients, siteUrl } from '../../lib/supabase';

const credentialsOf = (form: FormData) => ({
  email: textOf(form, 'email'),
  password: textOf(form, 'password'),
});

export async function signIn(form: FormData) {
  const { auth } = await createActionClients();
  // The session is in the response's cookies once this resolves; call `redirect` afterwards, because it throws.
  const problem = await problemOf(auth.signInWithPassword(credentialsOf(form)));
  redirect(problem ? `/login?problem=${problem}` : '/todos');
}

export async function signUp(form: FormData) {
  const { auth } = await createActionClients();
  const problem = await problemOf(auth.signUp({ ...credentialsOf(form), redirectTo }));
  if (problem) redirect(`/login?problem=${problem}`);
  // A project that confirms addresses mails a link first.
  redirect((await auth.getAccessToken()) === null ? '/login?sent=1' : '/todos');
}

export async function sendLink(form: FormData) {
  const { auth } = await createActionClients();
  const problem = await problemOf(auth.signInWithOtp({ email: textOf(form, 'email'), redirectTo }));
  redirect(problem ? `/login?problem=${problem}` : '/login?sent=1');
}

/** With PKCE, a mailed link works only in the browser that requested it, which has the verifier in a cookie. */
const redirectTo = `${siteUrl}/callback`;

export async function signOut() {
  const { auth } = await createActionClients();
  await auth.signOut({ scope: 'local' });
  redirect('/');
}

/** Returns the code of an auth service error; rethrows other errors. */
async function problemOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (problem) {
    if (problem instanceof AuthError) return problem.code;
    throw problem;
  }
}
