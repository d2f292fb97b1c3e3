import { AuthError } from 'supabase-protocol-clients/auth-client';
import { verifyRequest } from 'supabase-protocol-clients/server';
import type { Database } from '../../../lib/database.types';
import { project } from '../../../lib/supabase';

/** An API for pages (cookies) and for other programs (a bearer token). */
export async function GET(request: Request) {
  const { auth: _auth, ...options } = project;
  try {
    const { claims, rest } = await verifyRequest<Database>(request, { ...options, allow: 'user' });
    return Response.json({ user: claims?.sub, open: await rest.from('todos').count().eq('done', false) });
  } catch (problem) {
    if (!(problem instanceof AuthError && problem.code === 'no_authorization')) throw problem;
    return Response.json({ error: problem.message }, { status: problem.status ?? 401 });
  }
}
