import { createRouteClients } from '../../clients';

export async function GET(request: Request) {
  const { auth } = await createRouteClients();
  const { status, callbackError } = await auth.handleCallback(request.url);
  return Response.json({ status, code: callbackError?.code ?? null }, { status: callbackError ? 400 : 200 });
}
