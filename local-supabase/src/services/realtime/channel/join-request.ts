import { accessError, inspectTerm, isRecord } from '../subscription/term.ts';

/** The settings of a channel, from its `phx_join`. */
export interface JoinRequest {
  /** The token of the payload, if any. */
  readonly accessToken: string | null;
  readonly isPrivate: boolean;
  readonly acknowledgesBroadcast: boolean;
  /** Whether the channel receives its own broadcasts. */
  readonly receivesOwnBroadcasts: boolean;
  /** Requests a system message when broadcasts from the database can arrive. */
  readonly asksForReplication: boolean;
  /** The range of past broadcasts to replay; null if the join has no `replay`. */
  readonly replay: ReplayRequest | null;
  readonly presenceKey: string;
  readonly presenceEnabled: boolean;
  /** The `postgres_changes` entries as received; the reply echoes them. */
  readonly bindings: readonly Record<string, unknown>[];
  /** How long the reply may wait for the subscription to the bindings, in milliseconds; null if it does not wait. */
  readonly subscriptionWaitMs: number | null;
  /** True for a payload of the older protocol, without `config`: the topic is the binding, events are named by action. */
  readonly isLegacy: boolean;
}

export interface ReplayRequest {
  /** Milliseconds since the epoch; null if it is not an integer. */
  readonly sinceMs: number | null;
  /** Null if it is not an integer. */
  readonly limit: number | null;
}

const DEFAULT_REPLAY_LIMIT = 25;
const DEFAULT_SUBSCRIPTION_WAIT_MS = 15_000;

/** Parses the payload of a join. As on the real server, an entry of the wrong type counts as absent. */
export function parseJoinRequest(payload: Record<string, unknown>, channelName: string): JoinRequest {
  const config = recordAt(payload, 'config');
  const [broadcast, presence] = [recordAt(config, 'broadcast'), recordAt(config, 'presence')];
  const changes = config['postgres_changes'];
  const { wait, timeout } = recordAt(config, 'postgres_changes_options');
  const isLegacy = !('config' in payload);
  return {
    accessToken: textOf(payload['user_token']) ?? textOf(payload['access_token']),
    isPrivate: isTrue(config['private']),
    acknowledgesBroadcast: isTrue(broadcast['ack']),
    receivesOwnBroadcasts: isTrue(broadcast['self']),
    asksForReplication: isTruthy(broadcast['replication_ready']),
    replay: 'replay' in broadcast ? parseReplay(broadcast['replay']) : null,
    presenceKey: presenceKeyOf(presence['key']) || crypto.randomUUID(),
    presenceEnabled: isTrue(presence['enabled']),
    bindings: isLegacy ? [topicBinding(channelName)] : Array.isArray(changes) ? changes.filter(isRecord) : [],
    subscriptionWaitMs: isTrue(wait) ? (integerOf(timeout) ?? DEFAULT_SUBSCRIPTION_WAIT_MS) : null,
    isLegacy,
  };
}

/** The real server's error for a value that it cannot read by its key, or null. Other wrong types count as absent. */
export function malformedConfig(payload: Record<string, unknown>): string | null {
  const config = payload['config'] ?? {};
  const broadcast = isRecord(config) ? (config['broadcast'] ?? {}) : {};
  const unreadable = accessError(config, 'broadcast') ?? accessError(broadcast, 'replication_ready');
  if (unreadable !== null) return unreadable;
  const changes = isRecord(config) ? config['postgres_changes'] : undefined;
  const odd = Array.isArray(changes) ? changes.find((one) => one !== null && !isRecord(one)) : undefined;
  return odd === undefined ? null : `expected a map, got:\n\n    ${inspectTerm(odd)}\n`;
}

/** Null for a value that the real server ignores in a private channel. */
function parseReplay(value: unknown): ReplayRequest {
  const { since, limit = DEFAULT_REPLAY_LIMIT } = isRecord(value) ? value : {};
  return { sinceMs: integerOf(since), limit: integerOf(limit ?? DEFAULT_REPLAY_LIMIT) };
}

function topicBinding(channelName: string): Record<string, unknown> {
  const [schema, table, ...filter] = channelName.split(':');
  return {
    schema,
    ...(table === undefined ? {} : { table }),
    ...(filter.length > 0 ? { filter: filter.join(':') } : {}),
  };
}

function recordAt(record: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = record[key];
  return isRecord(value) ? value : {};
}

/** A number or a boolean counts as its text. */
const presenceKeyOf = (value: unknown): string =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const integerOf = (value: unknown): number | null => (Number.isInteger(value) ? Number(value) : null);
const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
/** As in Elixir: the real server does not parse this flag, so the text "false" counts as set. */
const isTruthy = (value: unknown): boolean => value !== undefined && value !== null && value !== false;
