import { createRouteClients } from '../../clients';

export async function POST() {
  const { auth } = await createRouteClients();
  return Response.json(await auth.signOut({ scope: 'local' }));
}
