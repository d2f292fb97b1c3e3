// Signs in, reads the unread notifications, and waits for the next one to arrive.
import { createSupabaseClients } from 'supabase-protocol-clients';
import { adaptWebSocket, createPlatform } from 'supabase-protocol-clients/platform';
import { WebSocket } from 'ws';
import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';

interface Notification {
  readonly id: string;
  readonly recipient_id: string;
  readonly status: string;
  readonly content: string | null;
}
interface Database {
  readonly public: {
    readonly Tables: {
      readonly notifications: {
        readonly Row: Notification;
        readonly Insert: Pick<Notification, 'recipient_id' | 'content'>;
        readonly Update: Partial<Notification>;
        readonly Relationships: [];
      };
    };
    readonly Views: { readonly [_ in never]: never };
    readonly Functions: { readonly [_ in never]: never };
  };
}

const [url = '', apiKey = '', email = '', password = ''] = process.argv.slice(2);
const platform = createPlatform({ openSocket: (address) => adaptWebSocket(new WebSocket(address)) });
const { auth, rest, realtime, close } = createSupabaseClients<Database>({ url, apiKey, platform });

const { user } = await auth.signInWithPassword({ email, password });
const unread = await rest.from('notifications').select('id, content').eq('status', 'unread');
console.log(JSON.stringify({ email: user.email, unread: unread.length }));

const channel = realtime.channel(`user:${user.id}`);
createPostgresChanges(channel).on(
  { event: 'INSERT', table: 'notifications', filter: `recipient_id=eq.${user.id}` },
  (change) => {
    if (change.type !== 'INSERT') return;
    console.log(JSON.stringify({ arrived: change.record.content }));
    close();
  },
);
channel.join();
channel.subscribe(() => {
  if (channel.getSnapshot().status === 'live') console.log(JSON.stringify({ live: true }));
});
