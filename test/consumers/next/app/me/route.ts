import { createRouteClients } from '../../clients';

export async function GET() {
  const { auth, rest } = await createRouteClients();
  if (!(await auth.getAccessToken())) return Response.json(null, { status: 401 });
  const { email } = await auth.getUser();
  return Response.json({ email, hasCount: typeof (await rest.from('notifications').count()) === 'number' });
}
