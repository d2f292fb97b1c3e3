// A page with React: sign in, see what is unread, and watch it arrive.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createSupabaseClients } from 'supabase-protocol-clients';
import { SupabaseProvider, useAuth, useLiveList, useSupabase } from 'supabase-protocol-clients/react';
import { createLiveQuery } from 'supabase-protocol-clients/realtime-client/live-query';

interface Database {
  readonly public: {
    readonly Tables: {
      readonly notifications: {
        readonly Row: { readonly id: string; readonly recipient_id: string; readonly content: string | null };
      };
    };
  };
}

const [url = '', apiKey = ''] = decodeURIComponent(location.hash.slice(1)).split(' ');
const clients = createSupabaseClients({ url, apiKey });

function Page() {
  const { auth } = useSupabase();
  const { status, user } = useAuth();
  if (status === 'loading') return <p>Loading...</p>;
  if (status === 'signed-in') return <Inbox key={user.id} userId={user.id} />;
  const signIn = (form: FormData) => {
    const text = (name: string) => form.get(name) as string;
    void auth.signInWithPassword({ email: text('email'), password: text('password') });
  };
  return (
    <form action={signIn}>
      <input name="email" aria-label="Email" />
      <input name="password" aria-label="Password" type="password" />
      <button>Sign in</button>
    </form>
  );
}

function Inbox({ userId }: { readonly userId: string }) {
  const { rest, realtime, platform } = useSupabase<Database>();
  const [query] = useState(() =>
    createLiveQuery({
      platform,
      channel: realtime.channel(`user:${userId}`),
      query: rest.from('notifications').select('id, content').eq('recipient_id', userId),
      key: 'id',
      immutableColumns: ['recipient_id'],
    }),
  );
  const { rows, isCurrent } = useLiveList(query);
  return (
    <ul aria-label={isCurrent ? 'Current' : 'Catching up'}>
      {rows.map((row) => (
        <li key={row.id}>{row.content}</li>
      ))}
    </ul>
  );
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <SupabaseProvider clients={clients}>
      <Page />
    </SupabaseProvider>,
  );
}
