import { useEffect, useRef, useState } from 'react';
import { createBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
import type { RealtimeClient } from 'supabase-protocol-clients/realtime-client';
import { createPresence } from 'supabase-protocol-clients/realtime-client/presence';
import { usePresence } from 'supabase-protocol-clients/react';

type Events = { readonly typing: { readonly name: string } };

/** How long a user counts as typing after a keystroke, in milliseconds. */
const typingMs = 3_000;

function createRoom(realtime: RealtimeClient, name: string) {
  const channel = realtime.channel('example-typing');
  return {
    channel,
    presence: createPresence<{ name: string }>(channel, { key: name }),
    broadcast: createBroadcast<Events>(channel),
  };
}

/** Who is online, and who is typing. */
export function Typing({ realtime, name }: { readonly realtime: RealtimeClient; readonly name: string }) {
  const [{ channel, presence, broadcast }] = useState(() => createRoom(realtime, name));
  const [typing, setTyping] = useState<ReadonlyMap<string, number>>(new Map());
  const lastSentMs = useRef(0);
  const { entries } = usePresence(presence, { name });

  useEffect(() => channel.join(), [channel]);
  useEffect(
    () =>
      broadcast.on('typing', ({ payload }) =>
        setTyping((known) => new Map(known).set(payload.name, Date.now())),
      ),
    [broadcast],
  );
  useEffect(() => {
    const timer = setInterval(
      () => setTyping((known) => new Map([...known].filter(([, atMs]) => Date.now() - atMs < typingMs))),
      1_000,
    );
    return () => clearInterval(timer);
  }, []);

  const announce = () => {
    if (Date.now() - lastSentMs.current < typingMs / 2) return;
    lastSentMs.current = Date.now();
    void broadcast.send('typing', { name });
  };
  return (
    <section aria-label="Online">
      <ul>
        {[...entries.keys()].sort().map((key) => (
          <li key={key} className="online">
            {key}
            {typing.has(key) && <em> is typing…</em>}
          </li>
        ))}
      </ul>
      <label>
        Message
        <input onChange={announce} />
      </label>
    </section>
  );
}
