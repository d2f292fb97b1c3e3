import { isRecord } from '../socket/wire.ts';

/** What a `phx_join` asks for. */
export interface JoinRequest {
  /** The token to use, if the payload has one. */
  readonly accessToken: string | null;
  readonly isPrivate: boolean;
  readonly acknowledgesBroadcast: boolean;
  readonly hearsItself: boolean;
  /** Wants to be told when broadcasts from the database can arrive; here they always can. */
  readonly asksForReplication: boolean;
  readonly presenceKey: string;
  readonly presenceEnabled: boolean;
  /** The `postgres_changes` entries as they came; they are echoed. */
  readonly bindings: readonly Record<string, unknown>[];
  /** Hold the reply until the subscription is live, for so long at most; null to reply at once. */
  readonly waitMs: number | null;
  /** Payloads without `config` are of an older kind: the topic is the binding, and events are named by action. */
  readonly isLegacy: boolean;
}

const WAIT_DEFAULT_MS = 15_000;
const WAIT_MAX_MS = 20_000;

/** Reads the payload of a join. What is not understood counts as not given, as on the real server. */
export function parseJoinRequest(payload: Record<string, unknown>, channelName: string): JoinRequest {
  const config = recordAt(payload, 'config');
  const [broadcast, presence] = [recordAt(config, 'broadcast'), recordAt(config, 'presence')];
  const options = recordAt(config, 'postgres_changes_options');
  const changes = config['postgres_changes'];
  const isLegacy = !('config' in payload);
  return {
    accessToken: textOf(payload['user_token']) ?? textOf(payload['access_token']),
    isPrivate: isTrue(config['private']),
    acknowledgesBroadcast: isTrue(broadcast['ack']),
    hearsItself: isTrue(broadcast['self']),
    asksForReplication: isTrue(broadcast['replication_ready']),
    presenceKey: textOf(presence['key']) || crypto.randomUUID(),
    presenceEnabled: isTrue(presence['enabled']),
    bindings: isLegacy ? [topicBinding(channelName)] : Array.isArray(changes) ? changes.filter(isRecord) : [],
    waitMs: isTrue(options['wait']) ? waitOf(options['timeout']) : null,
    isLegacy,
  };
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

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const isTrue = (value: unknown): boolean => value === true || value === 'true';
const waitOf = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(value, WAIT_MAX_MS) : WAIT_DEFAULT_MS;
