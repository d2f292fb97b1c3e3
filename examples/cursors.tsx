import { useEffect, useState, type PointerEvent } from 'react';
import { createBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
import { bufferBroadcasts } from 'supabase-protocol-clients/realtime-client/broadcast-buffer';
import type { RealtimeClient } from 'supabase-protocol-clients/realtime-client';

interface Cursor {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

type Events = { readonly cursor: Cursor; readonly gone: { readonly name: string } };

function createRoom(realtime: RealtimeClient) {
  const channel = realtime.channel('example-cursors');
  const buffer = bufferBroadcasts<Events>({ policies: { cursor: 'latest', gone: 'drop' } });
  return { channel, broadcast: createBroadcast<Events>(channel, { buffer }) };
}

/** The cursors of all users on the page. A moved cursor is sent at most once per frame: only the latest position counts. */
export function Cursors({ realtime, name }: { readonly realtime: RealtimeClient; readonly name: string }) {
  const [cursors, setCursors] = useState<ReadonlyMap<string, Cursor>>(new Map());
  const [{ channel, broadcast }] = useState(() => createRoom(realtime));

  useEffect(() => {
    const stops = [
      broadcast.on('cursor', ({ payload }) =>
        setCursors((known) => new Map(known).set(payload.name, payload)),
      ),
      broadcast.on('gone', ({ payload }) =>
        setCursors((known) => new Map([...known].filter(([other]) => other !== payload.name))),
      ),
      channel.join(),
    ];
    return () => {
      void broadcast.send('gone', { name });
      stops.forEach((stop) => stop());
    };
  }, [broadcast, channel, name]);

  const move = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    void broadcast.send('cursor', { name, x: event.clientX - left, y: event.clientY - top });
  };
  return (
    <section aria-label="Shared canvas" className="canvas" onPointerMove={move}>
      <p>Move the pointer. Open this page in a second window to see both cursors.</p>
      {[...cursors.values()].map((cursor) => (
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
