import { SubscriptionRefused } from '../subscription/bindings.ts';
import { SubscribeTimeout, createChannel } from './channel.ts';
import type { Channel, ChannelServices, ChannelSocket } from './channel.ts';
import { parseJoinRequest } from './join-request.ts';
import { unreadableMessage } from './permissions.ts';
import type { RateCounter } from '../rate-counter.ts';
import type { InboundFrame } from '../socket/wire.ts';

/** What a join is checked against besides its token. */
export interface JoinLimits {
  readonly joins: RateCounter;
  /** Sockets that have a channel. */
  readonly joinedSockets: () => number;
  /** Called for each join that is let in. */
  readonly onJoin: () => void;
}

/** The socket that a join comes from. */
export interface JoiningSocket extends ChannelSocket {
  readonly channels: ReadonlyMap<string, Channel>;
  /** The JWT of the socket's API key, used when a join brings none of its own. */
  readonly token: string;
}

export type JoinOutcome =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly reason: string; readonly closesSocket?: true };

/** Checks a `phx_join` in the real server's order, with its words. */
export async function admitJoin(
  services: ChannelServices,
  limits: JoinLimits,
  socket: JoiningSocket,
  { topic, joinRef, ref, payload }: InboundFrame,
): Promise<JoinOutcome> {
  const name = topic.slice('realtime:'.length);
  const { maxConnections, maxChannelsPerConnection } = services.settings();
  if (name === '') return refuse('TopicNameRequired: You must provide a topic name');
  if (socket.channels.size === 0 && limits.joinedSockets() >= maxConnections) {
    return refuse('ConnectionRateLimitReached: Too many connected users');
  }
  if (!limits.joins.take()) {
    return { ...refuse('ClientJoinRateLimitReached: Too many joins per second'), closesSocket: true };
  }
  if (socket.channels.size >= maxChannelsPerConnection) {
    return refuse('ChannelRateLimitReached: Too many channels');
  }
  const request = parseJoinRequest(payload, name);
  const given = request.accessToken;
  const token = given === null || given.startsWith('sb_') ? socket.token : given;
  const checked = await services.checkToken(token);
  if (!checked.ok) return refuse(`${checked.code}: ${checked.message}`);
  const permissions = await services.permissions(checked.claims, name, request.isPrivate);
  if (!permissions.broadcast.read) return refuse(`Unauthorized: ${unreadableMessage(name)}`);
  limits.onJoin();
  const channel = createChannel(services, {
    socket,
    topic,
    name,
    joinRef: joinRef ?? ref,
    request,
    token,
    claims: checked.claims,
    permissions,
  });
  return { ok: true, channel };
}

/** The reason of a join that waited for its subscription in vain. */
export function subscribeFailure(error: unknown): string {
  if (error instanceof SubscriptionRefused) return `RealtimeDisabledForConfiguration: ${error.message}`;
  if (error instanceof SubscribeTimeout) return `PostgresChangesSubscribeTimeout: ${error.message}`;
  return 'Unknown Error on Channel';
}

const refuse = (reason: string) => ({ ok: false, reason }) as const;
