import { randomUUID } from 'node:crypto';
import type { UserBroadcast } from '../socket/wire.ts';

/** A channel as the others with its topic know it. */
export interface Member {
  /** `payload` is JSON text. */
  push(event: string, payload: string): void;
  pushBroadcast(broadcast: UserBroadcast): void;
}

interface Presence {
  readonly key: string;
  readonly ref: string;
  readonly payload: Record<string, unknown>;
}

interface Room {
  readonly members: Set<Member>;
  readonly presences: Map<Member, Presence>;
}

/** Who is in which topic: broadcasts and presence. Public and private topics of one name are two rooms. */
export interface Rooms {
  enter(room: string, member: Member): void;
  /** Leaves, and tells the others that a tracked presence is gone. */
  leave(room: string, member: Member): void;
  /** Sends to all members but `sender`. */
  broadcast(room: string, message: string | UserBroadcast, sender?: Member): void;
  track(room: string, member: Member, key: string, payload: Record<string, unknown>): void;
  untrack(room: string, member: Member): void;
  /** The `presence_state` of the room, as JSON text. */
  presenceState(room: string): string;
  clear(): void;
  readonly size: number;
}

export const roomName = (topic: string, isPrivate: boolean): string =>
  `${isPrivate ? 'private' : 'public'}:${topic}`;

export function createRooms(): Rooms {
  const rooms = new Map<string, Room>();
  const tell = (room: Room, joins: readonly Meta[], leaves: readonly Meta[]) => {
    const payload = JSON.stringify({ joins: grouped(joins), leaves: grouped(leaves) });
    for (const member of room.members) member.push('presence_diff', payload);
  };
  const untrack = (name: string, member: Member) => {
    const room = rooms.get(name);
    const gone = room?.presences.get(member);
    if (!room || !gone) return;
    room.presences.delete(member);
    tell(room, [], [metaOf(gone)]);
  };
  return {
    enter(name, member) {
      const room = rooms.get(name) ?? { members: new Set(), presences: new Map() };
      rooms.set(name, room);
      room.members.add(member);
    },
    leave(name, member) {
      const room = rooms.get(name);
      room?.members.delete(member);
      untrack(name, member);
      if (room?.members.size === 0) rooms.delete(name);
    },
    broadcast(name, message, sender) {
      for (const member of rooms.get(name)?.members ?? []) {
        if (member === sender) continue;
        if (typeof message === 'string') member.push('broadcast', message);
        else member.pushBroadcast(message);
      }
    },
    track(name, member, key, payload) {
      const room = rooms.get(name);
      const before = room?.presences.get(member);
      if (!room || JSON.stringify(before?.payload) === JSON.stringify(payload)) return;
      const presence = { key, ref: randomUUID(), payload };
      room.presences.set(member, presence);
      const meta = metaOf(presence);
      if (before) tell(room, [{ ...meta, phx_ref_prev: before.ref }], [metaOf(before)]);
      else tell(room, [meta], []);
    },
    untrack,
    presenceState: (name) =>
      JSON.stringify(grouped([...(rooms.get(name)?.presences.values() ?? [])].map(metaOf))),
    clear: () => rooms.clear(),
    get size() {
      return rooms.size;
    },
  };
}

interface Meta extends Record<string, unknown> {
  readonly key: string;
}

const metaOf = ({ key, ref, payload }: Presence): Meta => ({ ...payload, phx_ref: ref, key });

function grouped(metas: readonly Meta[]): Record<string, { metas: Record<string, unknown>[] }> {
  // A map, since the keys are the clients' choice: an object has more of them than it was given.
  const groups = new Map<string, { metas: Record<string, unknown>[] }>();
  for (const { key, ...meta } of metas) {
    const group = groups.get(key) ?? { metas: [] };
    groups.set(key, group);
    group.metas.push(meta);
  }
  return Object.fromEntries(groups);
}
