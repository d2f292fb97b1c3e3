// The same journey in every runtime: sign in, read, receive a change, sign out.
import { createSupabaseClients } from 'supabase-protocol-clients';
import { createMemoryStore } from 'supabase-protocol-clients/auth-client';
import type { Platform } from 'supabase-protocol-clients/platform';
import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';

/** What a runtime passes to the journey. */
export interface JourneyOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
  readonly platform?: Platform;
  /** Receives each step; after `live` the test inserts a row. */
  readonly report: (step: object) => void;
}

/** Resolves after sign-out. */
export async function runJourney({ url, apiKey, email, password, platform, report }: JourneyOptions) {
  const clients = createSupabaseClients({
    url,
    apiKey,
    store: createMemoryStore(),
    ...(platform && { platform }),
  });
  const { auth, rest, realtime, close } = clients;
  try {
    const { user } = await auth.signInWithPassword({ email, password });
    const rows = await rest.from('notifications').select('id').eq('recipient_id', user.id).limit(1);
    report({ signedIn: user.email, rows: rows.length });

    const channel = realtime.channel(`user:${user.id}`);
    const filter = `recipient_id=eq.${user.id}`;
    const arrived = new Promise<unknown>((resolve, reject) => {
      createPostgresChanges(channel).on({ event: 'INSERT', table: 'notifications', filter }, (change) => {
        if (change.type === 'INSERT') resolve(change.record['content']);
      });
      channel.subscribe(() => {
        const { status, error } = channel.getSnapshot();
        if (status === 'live') report({ live: true });
        if (status === 'failed') reject(error ?? new Error('The channel failed'));
      });
    });
    channel.join();
    report({ arrived: await arrived });

    const { revoked } = await auth.signOut();
    report({ revoked, status: auth.getSnapshot().status });
  } finally {
    close();
  }
}
