import type { UserBroadcast } from './wire.ts';

/** A broadcast: the JSON text of its payload, the parts of a user's broadcast frame, or the bytes of a binary push. */
export interface BroadcastMessage {
  /** The message's id, if it has one. */
  readonly id: string | undefined;
  readonly content: string | UserBroadcast | Uint8Array;
}

/** A channel as seen by the other members of its topic. */
export interface Member {
  receiveBroadcast(message: BroadcastMessage): void;
  /** @param payload JSON text. */
  receivePresenceDiff(payload: string): void;
}

interface Presence {
  readonly key: string;
  readonly meta: Record<string, unknown>;
}

interface Room {
  readonly members: Set<Member>;
  readonly presences: Map<Member, Presence>;
}

/** The members and presences of each topic. A public and a private topic of the same name are two rooms. */
export interface Rooms {
  enter(room: string, member: Member): void;
  /** Removes a member and sends the others the leave of its tracked presence. */
  leave(room: string, member: Member): void;
  /** Whether the topic has a member other than `sender`. */
  hasReceiver(room: string, sender?: Member): boolean;
  /** Sends to all members but `sender`. */
  broadcast(room: string, message: BroadcastMessage, sender?: Member): void;
  track(room: string, member: Member, key: string, payload: Record<string, unknown>): void;
  untrack(room: string, member: Member): void;
  /** The payload of `presence_state`, as JSON text. */
  presenceState(room: string): string;
  readonly size: number;
}

export const roomName = (topic: string, isPrivate: boolean): string =>
  `${isPrivate ? 'private' : 'public'}:${topic}`;

export function createRooms(): Rooms {
  const rooms = new Map<string, Room>();
  const membersOf = (name: string): ReadonlySet<Member> => rooms.get(name)?.members ?? new Set();
  const sendDiff = (room: Room, joins: readonly Presence[], leaves: readonly Presence[]) => {
    const payload = JSON.stringify({ joins: grouped(joins), leaves: grouped(leaves) });
    for (const member of room.members) member.receivePresenceDiff(payload);
  };
  const untrack = (name: string, member: Member) => {
    const room = rooms.get(name);
    const presence = room?.presences.get(member);
    if (!room || !presence) return;
    room.presences.delete(member);
    sendDiff(room, [], [presence]);
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
    hasReceiver: (name, sender) => [...membersOf(name)].some((member) => member !== sender),
    broadcast(name, message, sender) {
      for (const member of membersOf(name)) {
        if (member !== sender) member.receiveBroadcast(message);
      }
    },
    track(name, member, key, payload) {
      const room = rooms.get(name);
      if (!room) return;
      const before = room.presences.get(member);
      const previous = before === undefined ? {} : { phx_ref_prev: before.meta['phx_ref'] };
      const presence = { key, meta: { ...payload, phx_ref: crypto.randomUUID(), ...previous } };
      room.presences.set(member, presence);
      sendDiff(room, [presence], before ? [before] : []);
    },
    untrack,
    presenceState: (name) => JSON.stringify(grouped([...(rooms.get(name)?.presences.values() ?? [])])),
    get size() {
      return rooms.size;
    },
  };
}

function grouped(presences: readonly Presence[]): Record<string, { metas: Record<string, unknown>[] }> {
  // Use a Map, because clients choose the keys and a plain object inherits members.
  const groups = new Map<string, { metas: Record<string, unknown>[] }>();
  for (const { key, meta } of presences) {
    const group = groups.get(key) ?? { metas: [] };
    groups.set(key, group);
    group.metas.push(meta);
  }
  return Object.fromEntries(groups);
}
