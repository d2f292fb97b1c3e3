import type { Frame } from '../../src/target/frames.ts';
import {
  replacing,
  replacingSent,
  losing,
  mutantsOf,
  patch,
  onRequest,
  textAt,
  valueAt,
  withBodyMember,
  withMember,
  withQuery,
  withStatus,
  type FrameFault,
  type Json,
  type ServerMutant,
} from './mutant.ts';
import { isEvent } from '../../src/audits/realtime/frame-socket.ts';

const isHeartbeat = ({ topic, event }: Frame) => topic === 'phoenix' && event === 'phx_reply';
const isSystem = isEvent('system');
const isChange = isEvent('postgres_changes');
const isPresence = (frame: Frame) => frame.event === 'presence_state' || frame.event === 'presence_diff';
const isJoin = isEvent('phx_join');
const isReplyToJoin = (frame: Frame) =>
  frame.event === 'phx_reply' && valueAt(frame.payload as Json, 'response.postgres_changes') !== undefined;
const typeOf = (frame: Frame) => valueAt(frame.payload as Json, 'data.type');

/** Changes the bindings of a join. */
const binding = (change: (binding: Json) => Json) => (): FrameFault => ({
  toServer: (frame) => {
    const bindings = isJoin(frame) ? valueAt(frame.payload as Json, 'config.postgres_changes') : undefined;
    if (!Array.isArray(bindings)) return [frame];
    const changed = (bindings as readonly Json[]).map(change);
    return [
      {
        ...frame,
        payload: patch(frame.payload as Json, 'config.postgres_changes', changed) as Frame['payload'],
      },
    ];
  },
});

/** Changes the filters of a join's bindings. */
const filtering = (change: (filter: string) => string | undefined) =>
  binding((one) => {
    const filter = valueAt(one, 'filter');
    return typeof filter === 'string' ? patch(one, 'filter', change(filter)) : one;
  });

/** Delivers the reply to a join after the message that the subscription is live. */
const replyingLate = (): FrameFault => {
  const held: Frame[] = [];
  return {
    toClient(frame) {
      if (
        isReplyToJoin(frame) &&
        valueAt(frame.payload as Json, 'response.postgres_changes.0') !== undefined
      ) {
        held.push(frame);
        return [];
      }
      return isSystem(frame) ? [frame, ...held.splice(0)] : [frame];
    },
  };
};

/** Swaps each two changes. */
const swapping = (): FrameFault => {
  let held: Frame | undefined;
  return {
    toClient(frame) {
      if (!isChange(frame)) return [frame];
      if (held === undefined) {
        held = frame;
        return [];
      }
      const pair = [frame, held];
      held = undefined;
      return pair;
    },
  };
};

/** Replies to a leave, but keeps the channel. */
const staying = (): FrameFault => {
  const fake: Frame[] = [];
  return {
    toServer(frame) {
      if (frame.event !== 'phx_leave') return [frame];
      fake.push(frame);
      return [{ joinRef: null, ref: `left-${frame.ref}`, topic: 'phoenix', event: 'heartbeat', payload: {} }];
    },
    toClient(frame) {
      if (!frame.ref?.startsWith('left-')) return [frame];
      const left = fake.shift();
      if (!left) return [];
      const { joinRef, ref, topic } = left;
      return [
        { joinRef, ref, topic, event: 'phx_reply', payload: { status: 'ok', response: {} } },
        { joinRef, ref: joinRef, topic, event: 'phx_close', payload: {} },
      ];
    },
  };
};

const liveness = mutantsOf('realtime', 'heartbeat and frames', 'realtime#frames');
const handshake = mutantsOf('realtime', 'handshake', 'realtime#handshake');
const joins = mutantsOf('realtime', 'joins', 'realtime#joins realtime#leaving realtime#refused-joins');
const changes = mutantsOf('realtime', 'changes', 'realtime#changes product#notifications');
const filters = mutantsOf(
  'realtime',
  'realtime filters',
  'realtime#filters-of-changes realtime#changes product#notifications',
);
const tokens = mutantsOf(
  'realtime',
  'tokens of channels',
  'realtime#tokens-of-channels realtime#refused-joins',
);
const broadcast = mutantsOf(
  'realtime',
  'broadcast',
  'realtime#broadcast realtime#broadcasts-of-the-database',
);
const presence = mutantsOf('realtime', 'presence', 'realtime#presence');

export const realtimeMutants: readonly ServerMutant[] = [
  liveness('replies to no heartbeat', { frames: losing(isHeartbeat) }),
  liveness('refuses heartbeats', { frames: replacing(isHeartbeat, 'status', 'error') }),
  liveness('replies to a push to an unknown topic with ok', {
    frames: replacing(isEvent('phx_reply'), 'status', 'ok'),
  }),
  liveness('is silent about a push to an unknown topic', {
    frames: losing((frame) => valueAt(frame.payload as Json, 'response.reason') === 'unmatched topic'),
  }),
  liveness('is silent about a leave without a channel', {
    frames: losing(({ topic }) => topic === 'realtime:nowhere'),
  }),
  liveness('replies without join_ref', {
    frames: () => ({
      toClient: (frame: Frame) => [frame.event === 'phx_reply' ? { ...frame, joinRef: null } : frame],
    }),
  }),

  handshake('needs no API key', {
    handshake: (url, { anonKey }) => url.searchParams.set('apikey', anonKey),
  }),
  handshake('accepts any version', { handshake: (url) => url.searchParams.set('vsn', '2.0.0') }),

  joins('ignores bindings that are not objects', {
    frames: replacingSent(
      (frame) =>
        isJoin(frame) && typeof valueAt(frame.payload as Json, 'config.postgres_changes.0') === 'string',
      'config.postgres_changes',
      [],
    ),
  }),
  joins('replies to a join without the ids of its bindings', {
    frames: replacing(isReplyToJoin, 'response.postgres_changes.*.id', undefined),
  }),
  joins('replies to a join without its bindings', {
    frames: replacing(isReplyToJoin, 'response.postgres_changes', undefined),
  }),
  joins('never reports that a subscription is live', { frames: losing(isSystem) }),
  joins('reports a live subscription before the reply', { frames: replyingLate }),
  joins('names the channel with its prefix', { frames: replacing(isSystem, 'channel', 'realtime:audit') }),
  joins('reports no unknown column', {
    frames: replacing(isSystem, 'status', 'ok'),
  }),
  joins('replies to no leave', { frames: losing(isEvent('phx_close')) }),
  joins('delivers to a channel that was left', { frames: staying }),
  joins('refuses to join again', {
    frames: () => {
      const joined = new Set<string>();
      return {
        toServer(frame: Frame) {
          if (!isJoin(frame) || !joined.has(frame.topic)) {
            if (isJoin(frame)) joined.add(frame.topic);
            return [frame];
          }
          return [{ ...frame, payload: 'again' as unknown as Frame['payload'] }];
        },
      };
    },
  }),
  joins('joins with any token', {
    frames: () => ({
      toClient: (frame: Frame) =>
        frame.event === 'phx_reply' && valueAt(frame.payload as Json, 'status') === 'error'
          ? [{ ...frame, payload: { status: 'ok', response: { postgres_changes: [] } } }]
          : [frame],
    }),
  }),
  joins('gives no reason for a refusal', {
    frames: replacing(isEvent('phx_reply'), 'response.reason', undefined),
  }),
  joins('gives one reason for every refused token', {
    frames: replacing(
      (frame) => /JWT|Jwt/.test(textAt(frame.payload as Json, 'response.reason')),
      'response.reason',
      'Unauthorized',
    ),
  }),
  joins('does not say what is wrong with a binding', {
    frames: replacing(isSystem, 'message', 'Subscribed to PostgreSQL'),
  }),
  joins('has ids of 28 bits', {
    frames: () => ({
      toClient: (frame: Frame) => [
        isReplyToJoin(frame)
          ? {
              ...frame,
              payload: JSON.parse(
                JSON.stringify(frame.payload).replaceAll(
                  /"id":(\d+)/g,
                  (_all, id: string) => `"id":${Number(id) + 2 ** 27}`,
                ),
              ) as Frame['payload'],
            }
          : frame,
      ],
    }),
  }),
  joins('reads events in capital letters alone', {
    frames: binding((one) => (/^[a-z]+$/.test(textAt(one, 'event')) ? patch(one, 'event', 'DELETE') : one)),
  }),
  joins('reads no user_token', { frames: replacingSent(isJoin, 'user_token', undefined) }),
  joins('does not say that the replication is established', {
    frames: losing((frame) => /Replication/.test(textAt(frame.payload as Json, 'message'))),
  }),
  joins('treats private channels as public ones', { frames: replacingSent(isJoin, 'config.private', false) }),

  changes('loses changes', { frames: losing(isChange) }),
  changes('doubles changes', {
    frames: () => ({ toClient: (frame: Frame) => (isChange(frame) ? [frame, frame] : [frame]) }),
  }),
  changes('swaps changes', { frames: swapping }),
  changes('reports an update as an insert', {
    frames: replacing((frame) => typeOf(frame) === 'UPDATE', 'data.type', 'INSERT'),
  }),
  changes('sends no binding ids', { frames: replacing(isChange, 'ids', []) }),
  changes('sends the local time of a commit', {
    frames: replacing(isChange, 'data.commit_timestamp', '2026-01-01 10:00:00+02'),
  }),
  changes('sends no columns', { frames: replacing(isChange, 'data.columns', []) }),
  changes('sends no old record of an update', {
    frames: replacing((frame) => typeOf(frame) === 'UPDATE', 'data.old_record', {}),
  }),
  changes('reports errors of complete changes', {
    frames: replacing(isChange, 'data.errors', ['Error 413']),
  }),
  changes('sends every event to every binding', {
    frames: replacingSent(isJoin, 'config.postgres_changes.*.event', '*'),
  }),
  changes('sends changes of one table only', {
    frames: replacingSent(isJoin, 'config.postgres_changes.*.table', 'notifications'),
  }),
  changes('narrows no record', {
    frames: replacingSent(isJoin, 'config.postgres_changes.*.select', undefined),
  }),
  changes('selects one column', {
    frames: binding((one) =>
      patch(one, 'select', valueAt(one, 'select.0') === undefined ? undefined : ['status']),
    ),
  }),
  changes('sends arrays as texts', {
    frames: replacing(
      (frame) => valueAt(frame.payload as Json, 'data.record.quiet_weekdays') !== undefined,
      'data.record.quiet_weekdays',
      '{6,7}',
    ),
  }),
  changes('sends nothing to a subscriber without the right', {
    frames: losing((frame) => textAt(frame.payload as Json, 'data.errors.0').includes('401')),
  }),
  changes('delivers the rows of others', {
    sql: [
      'create policy mutant on public.notifications for select to authenticated using (true)',
      'drop policy mutant on public.notifications',
    ],
  }),
  changes('delivers rows to anonymous users', {
    sql: [
      'grant select on public.notifications to anon; create policy mutant on public.notifications for select to anon using (true)',
      'revoke select on public.notifications from anon; drop policy mutant on public.notifications',
    ],
  }),
  changes('delivers deletions that the publication leaves out', {
    sql: [
      "alter publication supabase_realtime set (publish = 'insert, update, delete')",
      "alter publication supabase_realtime set (publish = 'insert, update')",
    ],
  }),
  changes('damages letters beyond ASCII', {
    frames: () => ({
      toClient: (frame: Frame) =>
        isChange(frame)
          ? [
              {
                ...frame,
                payload: JSON.parse(
                  JSON.stringify(frame.payload).replaceAll(/[^\x20-\x7e]/g, '?'),
                ) as Frame['payload'],
              },
            ]
          : [frame],
    }),
  }),

  filters('does not filter', { frames: filtering(() => undefined) }),
  filters('treats eq as neq', { frames: filtering((filter) => filter.replace('status=eq.', 'status=neq.')) }),
  filters('treats neq as eq', { frames: filtering((filter) => filter.replace('=neq.', '=eq.')) }),
  filters('treats in as its first value', {
    frames: filtering((filter) => filter.replace(/=in\.\(([^,)]*)[^)]*\)/, '=in.($1)')),
  }),
  filters('takes the first values of a long list', {
    frames: filtering((filter) => filter.replace(/^((?:[^,]*,){99}[^,]*),.*$/, '$1)')),
  }),
  filters('treats gte as gt', { frames: filtering((filter) => filter.replace('=gte.', '=gt.')) }),
  filters('treats lt as lte', { frames: filtering((filter) => filter.replace('=lt.', '=lte.')) }),
  filters('treats ilike as like', { frames: filtering((filter) => filter.replace('=ilike.', '=like.')) }),
  filters('negates nothing', { frames: filtering((filter) => filter.replace('=not.', '=')) }),
  filters('treats gt as gte', { frames: filtering((filter) => filter.replace('=gt.', '=gte.')) }),
  filters('treats isdistinct as neq', {
    frames: filtering((filter) => filter.replace('=isdistinct.', '=neq.')),
  }),
  filters('reads quotes as such', { frames: filtering((filter) => filter.replaceAll('"', String.raw`\"`)) }),
  filters('applies the first of several conditions', { frames: filtering((filter) => filter.split(',')[0]) }),

  tokens('replies to a pushed token', {
    frames: () => ({
      toClient: (frame: Frame) => [frame],
      toServer: (frame: Frame) =>
        frame.event === 'access_token'
          ? [frame, { ...frame, topic: 'phoenix', event: 'heartbeat', joinRef: null, payload: {} }]
          : [frame],
    }),
  }),
  tokens('keeps a channel although its new token is none', {
    frames: () => ({ toServer: (frame: Frame) => (frame.event === 'access_token' ? [] : [frame]) }),
  }),
  tokens('does not say that a token has expired', {
    frames: losing((frame) => isSystem(frame) && /expired/.test(JSON.stringify(frame.payload))),
  }),
  tokens('closes a channel at each new token', {
    frames: replacingSent(isEvent('access_token'), 'access_token', 'no-token'),
  }),

  broadcast('sends no broadcast to others', { frames: losing(isEvent('broadcast')) }),
  broadcast('sends a broadcast to its sender', {
    frames: replacingSent(isJoin, 'config.broadcast.self', true),
  }),
  broadcast('acknowledges no broadcast', { frames: replacingSent(isJoin, 'config.broadcast.ack', false) }),
  broadcast('sends no broadcast to its sender, although asked', {
    frames: replacingSent(isJoin, 'config.broadcast.self', false),
  }),
  broadcast('responds to a broadcast by HTTP with 200', {
    fetch: withStatus(/\/api\/broadcast\S* 202/, 200),
  }),
  broadcast('loses broadcasts by HTTP', {
    fetch: withBodyMember(/\/api\/broadcast/, 'messages.*.topic', 'elsewhere'),
  }),
  broadcast('delivers private broadcasts by HTTP to the public channel', {
    fetch: withBodyMember(/\/api\/broadcast/, 'messages.*.private', false),
  }),
  broadcast('accepts a batch without messages', { fetch: withStatus(/\/api\/broadcast\S* 422/, 202) }),
  broadcast('sends the first message of a batch', {
    fetch: onRequest(/\/api\/broadcast$/, (request) => {
      const messages = valueAt(request.json, 'messages');
      if (Array.isArray(messages)) request.body = JSON.stringify({ messages: messages.slice(0, 1) });
    }),
  }),
  broadcast('names no invalid field', {
    fetch: withMember(/\/api\/broadcast\S* 422/, 'errors.messages', []),
  }),
  broadcast('loses single broadcasts by HTTP', {
    fetch: onRequest(/\/events\//, (request) => {
      request.url = request.url.replace('/broadcast/', '/broadcast/elsewhere-');
    }),
  }),
  broadcast('sends private single broadcasts to the public channel', {
    fetch: withQuery(/\/events\//, /private=true/, 'private=false'),
  }),
  broadcast('accepts broadcasts with any token', { fetch: withStatus(/\/api\/broadcast\S* 401/, 202) }),
  broadcast('accepts a private broadcast without permission', {
    fetch: withStatus(/\/api\/broadcast\S* 403/, 202),
  }),
  broadcast('replays nothing', { frames: replacingSent(isJoin, 'config.broadcast.replay', undefined) }),
  broadcast('does not mark what it replays', {
    frames: replacing(isEvent('broadcast'), 'meta.replayed', undefined),
  }),
  broadcast('replays more than requested', {
    frames: replacingSent(isJoin, 'config.broadcast.replay.limit', 25),
  }),
  broadcast('replays from the beginning', {
    frames: replacingSent(isJoin, 'config.broadcast.replay.since', 1),
  }),
  broadcast('sends the broadcasts of the database without an id', {
    frames: replacing(isEvent('broadcast'), 'meta.id', undefined),
  }),

  presence('sends no presence state', { frames: losing(isEvent('presence_state')) }),
  presence('sends no presence diff', { frames: losing(isEvent('presence_diff')) }),
  presence('reports no leaves', { frames: replacing(isPresence, 'leaves', {}) }),
  presence('reports no joins', { frames: replacing(isEvent('presence_diff'), 'joins', {}) }),
  presence('doubles diffs', {
    frames: () => ({
      toClient: (frame: Frame) => (frame.event === 'presence_diff' ? [frame, frame] : [frame]),
    }),
  }),
  presence('has no references', {
    frames: replacing(isEvent('presence_state'), 'ada.metas.*.phx_ref', undefined),
  }),
  presence('sends its state to every channel', {
    frames: replacingSent(isJoin, 'config.presence.enabled', true),
  }),
  presence('has no limit of calls', { settings: { realtime: { maxPresenceCalls: 100_000 } } }),
  presence('allows one call of presence', { settings: { realtime: { maxPresenceCalls: 1 } } }),
  presence('keeps those who untrack', {
    frames: () => ({
      toServer: (frame: Frame) =>
        valueAt(frame.payload as Json, 'event') === 'untrack'
          ? [{ ...frame, topic: 'phoenix', event: 'heartbeat', joinRef: null, payload: {} }]
          : [frame],
    }),
  }),
];
