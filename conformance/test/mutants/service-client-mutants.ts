import { mutantsOf, type ClientMutant } from './client-mutant.ts';
import { storageClientMutants } from './storage-client-mutants.ts';

const channelState = 'realtime-client/channel/channel-state.ts';
const socketState = 'realtime-client/socket/socket-state.ts';
const socket = 'realtime-client/socket/socket.ts';
const filters = 'rest-client/query/filters.ts';
const quoting = 'rest-client/query/quoting.ts';

export const serviceClientMutants: readonly ClientMutant[] = [
  ...mutantsOf(
    'rest-client',
    'retry and tokens',
    'rest#repeated-requests rest#gateway rest#permissions',
    ['repeats no read', 'rest-client/wire/retry.ts', '(isTransient && isRead(method))', 'false'],
    ['repeats writes', 'rest-client/wire/retry.ts', '(isTransient && isRead(method))', 'isTransient'],
    [
      'does not refresh an expired token',
      'rest-client/wire/exchange.ts',
      "problem.code === 'token-expired';",
      "problem.code === 'not-the-service';",
    ],
    [
      'refreshes at a forbidden write',
      'rest-client/wire/exchange.ts',
      "problem.code === 'token-expired';",
      "(problem.code === 'token-expired' || problem.status === 403);",
    ],
    [
      "mistakes a proxy's page for rows",
      'rest-client/query/response.ts',
      'throw notTheService(wire, { cause });',
      'return [String(cause)];',
    ],
    ['repeats reads without jitter', 'rest-client/wire/retry.ts', "jitter: 'full'", 'jitter: 0'],
  ),
  ...mutantsOf(
    'rest-client',
    'filters and pages',
    'rest#literal-values rest#null-and-undefined rest#pages rest#long-lists rest#one-row rest#affected-rows rest#counts',
    ['quotes no values', quoting, 'return `"${text.replace(/["\\\\]/g, \'\\\\$&\')}"`;', 'return text;'],
    ['escapes no quotes', quoting, "text.replace(/[\"\\\\]/g, '\\\\$&')", 'text'],
    ['encodes no ampersand', quoting, 'encoded = encodeURIComponent(text);', 'encoded = encodeURI(text);'],
    [
      'treats wildcards in a text literally',
      filters,
      "const escapeLike = (text: string) => text.replace(/[\\\\%_]/g, '\\\\$&');",
      'const escapeLike = (text: string) => text;',
    ],
    [
      'treats an asterisk in a text literally',
      filters,
      "if (!text.includes('*')) return compare(operator, column, pattern);",
      'return compare(operator, column, pattern);',
    ],
    [
      'treats lte as lt',
      filters,
      "export const lte: Compare = comparison('lte');",
      "export const lte: Compare = comparison('lt');",
    ],
    [
      'skips the row after a page',
      'rest-client/long-reads/pages.ts',
      "compare(ascending ? 'gt' : 'lt', column, value)",
      "compare(ascending ? 'lt' : 'gt', column, value)",
    ],
    [
      'reads one page',
      'rest-client/long-reads/pages.ts',
      'after = rows.length >= previous ? next : null;',
      'after = null;',
    ],
    [
      'reads the first part of a long list',
      'rest-client/long-reads/chunks.ts',
      'start += size;',
      'start = Infinity;',
    ],
    [
      'returns the first of several rows',
      'rest-client/query/response.ts',
      "if (others.length) throw new RestError('not-one-row', 'maybeSingle() of several rows');",
      'void others;',
    ],
    [
      'counts one row too few',
      'rest-client/query/response.ts',
      'rows: found ? Number(last) - Number(first) + 1 : null, total: total ? Number(total) : null',
      'rows: found ? Number(last) - Number(first) : null, total: total ? Number(total) - 1 : null',
    ],
  ),
  ...mutantsOf(
    'realtime-client',
    'heartbeats and backoff',
    'realtime#liveness realtime#gaps realtime#channels-of-a-client',
    [
      'sends no heartbeats',
      socket,
      "ref: this.send({ topic: 'phoenix', event: 'heartbeat', payload: {} }),",
      'ref: this.nextRef(),',
    ],
    [
      'does not replace a silent socket',
      socketState,
      "if (type === 'probing') return replace(state, context);",
      "if (type === 'probing') return stay;",
    ],
    ['does not connect again', socketState, "if (type === 'waiting') return connect(state, context);", ''],
    [
      'reports no latency',
      socket,
      'latencyMs: platform.clock.monotonicMs() - this.#heartbeat.sentAtMs,',
      'latencyMs: -1,',
    ],
    [
      'announces no gap',
      channelState,
      "sinceMs === null ? [] : [{ type: 'gap', sinceMs, reason: isLive ? 'resubscribed' : 'rejoined' }];",
      '[]; void sinceMs;',
    ],
    [
      'does not join again after a lost socket',
      channelState,
      "return type === 'queued'\n",
      "return type === 'queued' && !state.wasLive\n",
    ],
    [
      'waits an hour before it connects again',
      socketState,
      'backoffDelayMs(attempt, { delaysMs: settings.reconnectDelaysMs }, 0)',
      '3_600_000',
    ],
    [
      'connects again without jitter',
      socket,
      'jitter: settings.jitter,',
      'jitter: 0,',
      'one client shows no jitter: a unit test has the numbers',
    ],
    [
      'replays from the time of the join only',
      'realtime-client/protocol/join-config.ts',
      'Math.round(Math.max(replay.sinceMs, (lostAtMs ?? 0) - overlapMs))',
      '(void lostAtMs, void overlapMs, Date.now())',
    ],
  ),
  ...mutantsOf(
    'realtime-client',
    'token push and joins',
    'realtime#channels-of-a-client realtime#handshake realtime#refused-joins',
    [
      'pushes no new token',
      channelState,
      "return next({ ...state, token, verifiedAtMs }, { type: 'pushToken' });",
      'return stay;',
    ],
    [
      'joins again for each new token',
      channelState,
      "return next({ ...state, token, verifiedAtMs }, { type: 'pushToken' });",
      'return changeUser(interrupted);',
    ],
    [
      'stays joined after a sign-out',
      channelState,
      "return isOnTopic(state) ? next(failed, { type: 'leave' }) : next(failed);",
      'void failed; return stay;',
    ],
    [
      'is live before the server confirms it',
      channelState,
      'if (state.unconfirmed.length > 0) {',
      'if (state.unconfirmed.length > 0 && nowMs < 0) {',
    ],
    [
      'puts the token into the URL',
      'realtime-client/protocol/wire.ts',
      'apikey: apiKey, vsn })',
      "apikey: apiKey, vsn, access_token: 'a.b.c' })",
    ],
    [
      'tries a refused channel again',
      channelState,
      ': fail(state, refusal, reason);',
      ': retry(state, context);',
    ],
    [
      'leaves no channel',
      channelState,
      "return isOnTopic(state) ? next(left, { type: 'leave' }) : next(left);",
      'return next(left);',
    ],
    [
      'joins public channels only',
      'realtime-client/protocol/join-config.ts',
      '    private: isPrivate,\n    postgres_changes',
      '    private: false,\n    postgres_changes',
    ],
  ),
  ...mutantsOf(
    'realtime-client',
    'broadcast and presence',
    'realtime#broadcast realtime#presence realtime#limits',
    ['receives its own broadcasts', 'realtime-client/protocol/join-config.ts', 'self: false,', 'self: true,'],
    [
      'asks for no acknowledgment',
      'realtime-client/protocol/join-config.ts',
      '      ack,\n      self',
      '      ack: false,\n      self',
    ],
    [
      'ignores rate limits',
      'realtime-client/broadcast/rate-limit.ts',
      'take: () => void (tokens -= 1),',
      'take: () => undefined,',
    ],
    [
      'ignores the presence limit',
      'realtime-client/presence/tracker.ts',
      'const maxCalls = 5;',
      'const maxCalls = 500;',
    ],
    [
      'tracks nothing again after a lost socket',
      'realtime-client/presence/tracker.ts',
      '      sent = null;\n      calls = [];',
      '      calls = [];',
    ],
    [
      'does not untrack',
      'realtime-client/presence/tracker.ts',
      "{ event: 'untrack' }",
      "{ event: 'track', payload: {} }",
    ],
  ),
  ...storageClientMutants,
];
