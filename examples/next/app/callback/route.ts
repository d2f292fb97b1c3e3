import { redirect } from 'next/navigation';
import { createActionClients } from '../../lib/supabase';

/** The redirect target of mailed links and providers. */
export async function GET(request: Request) {
  const { auth } = await createActionClients();
  const { callbackError } = await auth.handleCallback(request.url);
  redirect(callbackError ? `/login?problem=${callbackError.code}` : '/todos');
}
