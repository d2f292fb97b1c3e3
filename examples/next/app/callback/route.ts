import { redirect } from 'next/navigation';
import { createActionClients } from '../../lib/supabase';

/** Where mailed links and providers lead back to. */
export async function GET(request: Request) {
  const { auth } = await createActionClients();
  const { callbackError } = await auth.handleCallback(request.url);
  redirect(callbackError ? `/login?problem=${callbackError.code}` : '/todos');
}
