import type { Platform, Socket } from '../../../src/platform/platform.ts';
import { acceptBindings, createIdleSocket, parseFrame, subscribed } from './frames.ts';

export interface StoredRow {
  readonly id: string;
  readonly owner: string;
  readonly value: number;
  readonly version: number;
  readonly [column: string]: unknown;
}

interface Session {
  readonly socket: Socket;
  readonly topics: Map<
    string,
    { joinRef: string | null; token: string; filters: { id: number; owner: string }[] }
  >;
  /** The joined topics, which receive broadcasts and presence from the reply on. */
  readonly members: Map<string, Member>;
  isHalfOpen: boolean;
}

/** The fields that clients send, of all events. */
interface ClientPayload {
  readonly access_token?: string;
  readonly event?: string;
  readonly payload?: object;
  readonly config?: {
    readonly broadcast: { readonly ack: boolean };
    readonly presence: { readonly enabled: boolean; readonly key: string };
  };
}

interface Member {
  readonly joinRef: string | null;
  readonly ack: boolean;
  readonly presence: { readonly enabled: boolean; readonly key: string };
  entry: { readonly phx_ref: string } | null;
  /** When (monotonic, ms) the calls of the current window were made. */
  calls: readonly number[];
}

/** The server closes a channel with more presence calls than this in a window. */
const maxPresenceCalls = 5;
/** The changes per second that a server with a rate limit sends. */
const limitPerSecond = 2;
const presenceWindowMs = 30_000;

/**
 * A small model of the realtime service over one table in the fake world: it replies to and confirms joins, checks
 * tokens, sends the owner's changes, and injects faults: loss, delay and repetition.
 */
export function createRealtimeModel(clock: Platform['clock'], latencyMs: () => number) {
  const rows = new Map<string, StoredRow>();
  const sessions = new Set<Session>();
  const validTokens = new Set<string>();
  let isUp = true;
  let isMute = false;
  let isLimited = false;
  let changes = 0;
  let lastSecond = 0;
  let sentInSecond = 0;
  let lastCommitMs = 0;
  let repeats = false;
  let truncates = false;
  let version = 0;
  let opened = 0;
  let joins = 0;
  let lastJoinConfig: unknown = null;
  let isForbidden = false;
  let isSendingForbidden = false;
  let presenceOverruns = 0;
  let lastRef = 0;

  const later = (run: () => void) => void clock.setTimer(run, latencyMs());
  // A connection keeps the order of its frames: each frame waits for the previous one.
  const createPipe = () => {
    let readyMs = 0;
    return (run: () => void) => {
      readyMs = Math.max(readyMs, clock.monotonicMs() + latencyMs());
      clock.setTimer(run, readyMs - clock.monotonicMs());
    };
  };

  const openSocket = (_url: string): Socket => {
    const down = createPipe();
    const up = createPipe();
    let isClosed = false;
    const socket: Socket = {
      ...createIdleSocket(),
      send: (data) =>
        up(() => {
          if (sessions.has(session) && !session.isHalfOpen) receive(session, String(data), deliver);
        }),
      close: () => {
        isClosed = true;
        end(session);
      },
    };
    const session: Session = { socket, topics: new Map(), members: new Map(), isHalfOpen: false };
    const deliver = (frame: string) =>
      down(() => {
        if (!isClosed && !session.isHalfOpen && sessions.has(session)) socket.onMessage?.(frame);
      });
    delivers.set(session, deliver);
    opened += 1;
    later(() => {
      if (isClosed) return;
      if (!isUp) return socket.onClose?.({ code: 1006, reason: '', wasClean: false });
      sessions.add(session);
      socket.onOpen?.();
    });
    return socket;
  };
  const delivers = new WeakMap<Session, (frame: string) => void>();

  const receive = (session: Session, data: string, deliver: (frame: string) => void) => {
    const frame = parseFrame(data);
    const { joinRef, ref, topic, event } = frame;
    const payload = frame.payload as ClientPayload;
    const send = (...fields: unknown[]) => deliver(JSON.stringify(fields));
    const reply = (status: string, response: unknown) =>
      send(joinRef, ref, topic, 'phx_reply', { status, response });
    if (event === 'heartbeat') return reply('ok', {});
    if (event === 'phx_leave') {
      session.topics.delete(topic);
      quit(session, topic);
      return send(joinRef, null, topic, 'phx_close', {});
    }
    const joined = session.topics.get(topic);
    const token = payload.access_token ?? '';
    if (event === 'access_token') {
      if (joined && joined.joinRef === joinRef) joined.token = token;
      return undefined;
    }
    const member = session.members.get(topic);
    // A broadcast without permission gets no reply.
    if (event === 'broadcast' && isSendingForbidden) return undefined;
    if (event === 'broadcast' && member) {
      sendToMembers(topic, 'broadcast', payload, session);
      return member.ack ? reply('ok', {}) : undefined;
    }
    if (event === 'presence' && member) {
      const nowMs = clock.monotonicMs();
      member.calls = [...member.calls.filter((atMs) => nowMs - atMs < presenceWindowMs), nowMs];
      if (member.calls.length > maxPresenceCalls) presenceOverruns += 1;
      if (isSendingForbidden && payload.event === 'track') return reply('error', {});
      const before = member.entry;
      member.entry = payload.event === 'track' ? { ...payload.payload, phx_ref: `${(lastRef += 1)}` } : null;
      sendDiff(topic, member, before);
      return reply('ok', {});
    }
    if (event === 'echo') return reply('ok', payload);
    if (event === 'deny') return reply('error', payload);
    if (event !== 'phx_join') return undefined;
    joins += 1;
    lastJoinConfig = payload.config;
    if (isForbidden) return reply('error', { reason: 'Unauthorized: You do not have permissions to read' });
    if (!validTokens.has(token)) return reply('error', { reason: 'InvalidJWTToken: Token has expired' });
    const filters = acceptBindings(frame, 100).map((binding) =>
      Object.assign(binding, { owner: binding.filter?.replace('owner=eq.', '') ?? '' }),
    );
    reply('ok', { postgres_changes: filters });
    quit(session, topic);
    const presence = payload.config?.presence ?? { enabled: false, key: '' };
    session.members.set(topic, {
      joinRef,
      presence,
      ack: payload.config?.broadcast.ack ?? false,
      entry: null,
      calls: [],
    });
    if (presence.enabled) send(joinRef, null, topic, 'presence_state', presenceOf(topic));
    if (joined) send(joined.joinRef, null, topic, 'phx_close', {});
    session.topics.delete(topic);
    // The subscription begins some time after the reply.
    later(() => {
      if (!sessions.has(session)) return;
      session.topics.set(topic, { joinRef, token, filters });
      send(joinRef, null, topic, 'system', {
        extension: 'postgres_changes',
        status: 'ok',
        message: 'Subscribed',
      });
    });
    return undefined;
  };

  const presenceOf = (topic: string) => {
    const state: Record<string, { metas: object[] }> = {};
    for (const { members } of sessions) {
      const member = members.get(topic);
      if (member?.entry) (state[member.presence.key] ??= { metas: [] }).metas.push(member.entry);
    }
    return state;
  };
  const sendToMembers = (topic: string, event: string, payload: unknown, except?: Session) => {
    for (const session of sessions)
      if (session !== except && session.members.has(topic))
        delivers.get(session)?.(JSON.stringify([null, null, topic, event, payload]));
  };
  const sendDiff = (topic: string, { presence, entry }: Member, before: Member['entry']) => {
    const metasOf = (one: Member['entry']) => (one ? { [presence.key]: { metas: [one] } } : {});
    if (entry || before)
      sendToMembers(topic, 'presence_diff', { joins: metasOf(entry), leaves: metasOf(before) });
  };
  const quit = (session: Session, topic: string) => {
    const member = session.members.get(topic);
    session.members.delete(topic);
    if (member) sendDiff(topic, { ...member, entry: null }, member.entry);
  };
  const end = (session: Session) => {
    sessions.delete(session);
    [...session.members.keys()].forEach((topic) => quit(session, topic));
  };
  const commit = () => {
    lastCommitMs = Math.max(lastCommitMs + 1, clock.now());
    version += 1;
  };
  const isBeyondLimit = () => {
    const second = Math.floor(clock.monotonicMs() / 1_000);
    sentInSecond = second === lastSecond ? sentInSecond + 1 : 1;
    lastSecond = second;
    return isLimited && sentInSecond > limitPerSecond;
  };
  /** Sends a change of the transaction of the last {@link commit}. */
  const publish = (type: string, record: StoredRow | undefined, old: StoredRow | undefined) => {
    const owner = (record ?? old)?.owner;
    changes += 1;
    if (isMute || isBeyondLimit()) return;
    const isTruncated = truncates && record !== undefined;
    if (isTruncated) truncates = false;
    const data = {
      schema: 'public',
      table: 'items',
      type,
      commit_timestamp: new Date(lastCommitMs).toISOString(),
      columns: [{ name: 'id' }],
      errors: isTruncated ? ['Error 413: Payload Too Large'] : null,
      ...(record ? { record: isTruncated ? { id: record.id } : record } : {}),
      ...(old ? { old_record: { id: old.id } } : {}),
    };
    for (const session of sessions)
      for (const [topic, { filters }] of session.topics) {
        const ids = filters.filter((filter) => filter.owner === owner).map(({ id }) => id);
        const frame = JSON.stringify([null, null, topic, 'postgres_changes', { ids, data }]);
        if (ids.length > 0)
          for (let copy = 0; copy < (repeats ? 2 : 1); copy += 1) delivers.get(session)?.(frame);
      }
  };
  const disconnect = (session: Session, code: number) => {
    end(session);
    session.socket.onClose?.({ code, reason: '', wasClean: code !== 1006 });
  };

  return {
    openSocket,
    validTokens,
    get openSessions() {
      return sessions.size;
    },
    get opened() {
      return opened;
    },
    get joins() {
      return joins;
    },
    /** The `config` of the last join, of any topic. */
    get lastJoinConfig() {
      return lastJoinConfig;
    },
    /** Turns the refusal of every join on or off. */
    forbid(value: boolean) {
      isForbidden = value;
    },
    /** Turns the right to send broadcasts and to track off or on. */
    forbidSending(value: boolean) {
      isSendingForbidden = value;
    },
    /** Presence calls beyond what the server allows in a window, which would close the channel. */
    get presenceOverruns() {
      return presenceOverruns;
    },
    presenceOf,
    select: (owner: string) => [...rows.values()].filter((row) => row.owner === owner),
    write(id: string, owner: string, value: number) {
      const old = rows.get(id);
      commit();
      const record: StoredRow = { id, owner: old?.owner ?? owner, value, version };
      rows.set(id, record);
      publish(old ? 'UPDATE' : 'INSERT', record, old);
    },
    remove(id: string) {
      const old = rows.get(id);
      if (!old) return;
      rows.delete(id);
      commit();
      publish('DELETE', undefined, old);
    },
    /** Changes a row's primary key. */
    rename(id: string, to: string) {
      const old = rows.get(id);
      if (!old || rows.has(to)) return;
      rows.delete(id);
      commit();
      const record: StoredRow = { ...old, id: to, version };
      rows.set(to, record);
      publish('UPDATE', record, old);
    },
    /** Sets a value, another value and the first value again in one transaction. */
    flip(id: string, value: number) {
      const old = rows.get(id);
      if (!old) return;
      commit();
      const record: StoredRow = { ...old, value, version };
      for (const change of [record, { ...record, value: value + 1 }, record]) publish('UPDATE', change, old);
      rows.set(id, record);
    },
    /** Closes all sockets and refuses new ones until {@link up}. */
    down() {
      isUp = false;
      for (const session of sessions) disconnect(session, 1012);
    },
    up() {
      isUp = true;
    },
    /** Cuts one socket without a close frame. */
    drop(index: number) {
      const session = [...sessions][index % Math.max(1, sessions.size)];
      if (session) disconnect(session, 1006);
    },
    /** Silently discards all further frames of the open sockets. */
    halfOpen() {
      for (const session of sessions) session.isHalfOpen = true;
    },
    /** Closes the sockets of a crashed tab on the server's side. */
    forget(sockets: ReadonlySet<Socket>) {
      for (const socket of sockets) socket.close();
    },
    /** Turns the repetition of every change on or off. */
    repeat(value: boolean) {
      repeats = value;
    },
    /** The next change with a record is too large for one frame. */
    truncate() {
      truncates = true;
    },
    /** Reports the token as expired to its channels and closes them. */
    expire(token: string) {
      validTokens.delete(token);
      for (const session of sessions)
        for (const [topic, joined] of session.topics) {
          if (joined.token !== token) continue;
          session.topics.delete(topic);
          quit(session, topic);
          const deliver = delivers.get(session);
          deliver?.(
            JSON.stringify([
              joined.joinRef,
              null,
              topic,
              'system',
              { extension: 'system', status: 'error', message: 'Token has expired 0 seconds ago' },
            ]),
          );
          deliver?.(JSON.stringify([joined.joinRef, null, topic, 'phx_close', {}]));
        }
    },
    /** Loses all changes until {@link resubscribe}. */
    mute() {
      isMute = true;
    },
    /** Sends again what is committed from now on; what was lost stays lost. */
    unmute() {
      isMute = false;
      isLimited = false;
    },
    /** Loses the changes beyond two in a second until {@link unmute}. */
    limit() {
      isLimited = true;
    },
    /** How many changes there were, lost ones included. */
    get changes() {
      return changes;
    },
    get isMute() {
      return isMute;
    },
    /** Re-creates every subscription, which is visible only as a second confirmation. */
    resubscribe() {
      isMute = false;
      for (const session of sessions)
        for (const [topic, joined] of session.topics)
          delivers.get(session)?.(JSON.stringify([joined.joinRef, null, topic, 'system', subscribed]));
    },
  };
}
