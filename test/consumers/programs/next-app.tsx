/** A page, an action and a route of Next, with the two functions of `next/headers` declared here. */
import { useSyncExternalStore } from 'react';
import { createClient } from 'supabase-protocol-clients/compat';
import { SupabaseProvider, useUser } from 'supabase-protocol-clients/react';
import { createSupabaseClients } from 'supabase-protocol-clients';
import { createServerClients, type ServerClients, verifyRequest } from 'supabase-protocol-clients/server';
import type { Database } from './database.ts';

interface CookieStore {
  getAll(): { name: string; value: string }[];
  set(
    name: string,
    value: string,
    options: Partial<{ path: string; maxAge: number; httpOnly: boolean }>,
  ): void;
}
declare function cookies(): Promise<CookieStore>;

const project = { url: 'https://p.example', apiKey: 'key' };

export async function createActionClients(): Promise<ServerClients<Database>> {
  const store = await cookies();
  return createServerClients({
    ...project,
    cookies: {
      getAll: () => store.getAll(),
      setAll(changes) {
        for (const { name, value, options } of changes) store.set(name, value, options);
      },
    },
  });
}

export async function Page() {
  const { auth, rest } = await createActionClients();
  const session = await auth.getSession();
  if (!session) return <a href="/login">Sign in</a>;
  const rows = await rest.from('todos').select('id, title').eq('done', false);
  return (
    <ul>
      {rows.map(({ id, title }) => (
        <li key={id}>{title}</li>
      ))}
    </ul>
  );
}

export async function GET(request: Request): Promise<Response> {
  const { caller } = await verifyRequest(request, { ...project, allow: ['user'] });
  return Response.json({ caller });
}

const clients = createSupabaseClients<Database>(project);
function Account() {
  const user = useUser();
  const isOnline = useSyncExternalStore(
    () => () => undefined,
    () => true,
  );
  return <p>{isOnline ? user?.email : null}</p>;
}
export const App = () => (
  <SupabaseProvider clients={clients}>
    <Account />
  </SupabaseProvider>
);

export async function moved(): Promise<readonly string[]> {
  const supabase = createClient<Database>(project.url, project.apiKey);
  const { data, error } = await supabase.from('todos').select('id, title').in('id', [1, 2]);
  if (error) throw error;
  return data.map(({ title }) => title);
}
