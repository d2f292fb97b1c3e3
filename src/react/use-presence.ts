import { useEffect, useSyncExternalStore } from 'react';
import type { Presence, PresenceSnapshot } from '../realtime-client/presence/presence.ts';

/**
 * The entries that are present on a channel; the component renders again when they change. Create the presence once, outside of the component or in
 * `useState`, and keep its channel joined.
 *
 * @param entry what to track while the component is mounted; null or omitted: only observe. Compared as JSON.
 * @example
 * ```tsx
 * import { useEffect, useState } from 'react';
 * import { usePresence, useSupabase } from 'supabase-protocol-clients/react';
 * import { createPresence } from 'supabase-protocol-clients/realtime-client/presence';
 *
 * export function Online({ name }: { readonly name: string }) {
 *   const { realtime } = useSupabase();
 *   const [channel] = useState(() => realtime.channel('lobby'));
 *   const [presence] = useState(() => createPresence<{ name: string }>(channel, { key: name }));
 *   useEffect(() => channel.join(), [channel]);
 *   const { entries } = usePresence(presence, { name });
 *   return <p>{[...entries.keys()].join(', ')}</p>;
 * }
 * ```
 */
export function usePresence<Entry>(
  presence: Presence<Entry>,
  entry: Entry | null = null,
): PresenceSnapshot<Entry> {
  const text = JSON.stringify(entry);
  useEffect(() => {
    const tracked = JSON.parse(text) as Entry | null;
    if (tracked === null) return undefined;
    presence.track(tracked);
    return () => presence.untrack();
  }, [presence, text]);
  return useSyncExternalStore(presence.subscribe, presence.getSnapshot, presence.getSnapshot);
}
