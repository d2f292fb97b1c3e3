import { createRouteClients } from '../../clients';

interface Credentials {
  readonly email: string;
  /** Without one, a link is mailed. */
  readonly password?: string;
}

export async function POST(request: Request) {
  const { email, password } = (await request.json()) as Credentials;
  const { auth } = await createRouteClients();
  if (password === undefined) {
    await auth.signInWithOtp({ email, redirectTo: 'http://localhost:5173/home' });
    return Response.json({ mailed: true });
  }
  const { user } = await auth.signInWithPassword({ email, password });
  return Response.json({ email: user.email });
}
