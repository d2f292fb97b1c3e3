import { useEffect, useState } from 'react';
import { createPresence } from 'supabase-protocol-clients/realtime-client/presence';
import { usePresence } from 'supabase-protocol-clients/react';
import { Chat } from './chat.tsx';
import type { ChatClients } from './chat-store.ts';

const rooms = ['general', 'random', 'help'] as const;
type Room = (typeof rooms)[number];

interface Member {
  readonly name: string;
  readonly room: Room;
}

/** A workspace with rooms and their members, like the vendor's public "slack clone", on one socket. */
export function Workspace({ clients, name }: { readonly clients: ChatClients; readonly name: string }) {
  const [room, setRoom] = useState<Room>('general');
  const [{ channel, presence }] = useState(() => {
    const lobby = clients.realtime.channel('example-workspace');
    return { channel: lobby, presence: createPresence<Member>(lobby, { key: name }) };
  });
  const { entries } = usePresence(presence, { name, room });
  useEffect(() => channel.join(), [channel]);

  const members = [...entries.values()].flat();
  return (
    <div className="workspace">
      <nav aria-label="Rooms">
        {rooms.map((one) => (
          <button key={one} aria-current={one === room ? 'page' : undefined} onClick={() => setRoom(one)}>
            # {one} ({members.filter((member) => member.room === one).length})
          </button>
        ))}
      </nav>
      <Chat key={room} clients={clients} name={name} room={room} />
      <aside aria-label="Members">
        <ul>
          {members.map((member) => (
            <li key={member.name} className="online">
              {member.name} in {member.room}
            </li>
          ))}
        </ul>
      </aside>
    </div>
  );
}
