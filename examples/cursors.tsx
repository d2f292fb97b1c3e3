import { useEffect, useState, type PointerEvent } from 'react';
import { bufferBroadcasts, createBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
import type { RealtimeClient } from 'supabase-protocol-clients/realtime-client';
import { createPresence } from 'supabase-protocol-clients/realtime-client/presence';
import { usePresence } from 'supabase-protocol-clients/react';

interface Cursor {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

type Events = { readonly cursor: Cursor };

function createRoom(realtime: RealtimeClient, name: string) {
  const channel = realtime.channel('example-cursors');
  const buffer = bufferBroadcasts<Events>({ policies: { cursor: 'latest' } });
  return {
    channel,
    presence: createPresence<{ name: string }>(channel, { key: name }),
    broadcast: createBroadcast<Events>(channel, { buffer }),
  };
}

/**
 * The cursors of the users on the page; presence also removes windows that crashed. A moved cursor is sent at most once
 * per frame, because only the latest position counts.
 */
export function Cursors({ realtime, name }: { readonly realtime: RealtimeClient; readonly name: string }) {
  const [cursors, setCursors] = useState<ReadonlyMap<string, Cursor>>(new Map());
  const [{ channel, presence, broadcast }] = useState(() => createRoom(realtime, name));

  const { entries } = usePresence(presence, { name });

  useEffect(() => channel.join(), [channel]);
  useEffect(
    () =>
      broadcast.on('cursor', ({ payload }) =>
        setCursors((known) => new Map(known).set(payload.name, payload)),
      ),
    [broadcast],
  );

  const move = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    void broadcast.send('cursor', { name, x: event.clientX - left, y: event.clientY - top });
  };
  return (
    <section aria-label="Shared canvas" className="canvas" onPointerMove={move}>
      <p>Move the pointer. Open this page in a second window to see both cursors.</p>
      {[...cursors.values()]
        .filter((cursor) => entries.has(cursor.name))
        .map((cursor) => (
          <span
            key={cursor.name}
            className="cursor"
            style={{ transform: `translate(${cursor.x}px, ${cursor.y}px)` }}
          >
            {cursor.name}
          </span>
        ))}
    </section>
  );
}
