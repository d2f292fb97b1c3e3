import type { RateCounter } from '../rate-counter.ts';
import type { InboundFrame } from './wire.ts';
import { inspectTerm, isRecord } from '../subscription/term.ts';
import { Channel } from './channel.ts';
import type { ChannelServices, ChannelSocket } from './channel.ts';
import { malformedConfig, parseJoinRequest } from './join-request.ts';
import { unreadableMessage } from './permissions.ts';
import { loadReplay } from './replay.ts';
import type { ReplayedMessage } from './replay.ts';

export interface JoinLimits {
  readonly joins: RateCounter;
  /** The number of sockets with a channel. */
  readonly joinedSockets: () => number;
  /** Called for each admitted join. */
  readonly onJoin: () => void;
}

export interface JoiningSocket extends ChannelSocket {
  readonly channels: ReadonlyMap<unknown, Channel>;
  /** The JWT of the socket's API key, for joins without their own. */
  readonly token: string;
}

export type JoinOutcome =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly reason: string; readonly closesSocket?: true };

/** Checks a `phx_join` in the order of the real server, with its messages. */
export async function admitJoin(
  services: ChannelServices,
  limits: JoinLimits,
  socket: JoiningSocket,
  topic: string,
  { joinRef, ref, payload }: InboundFrame,
): Promise<JoinOutcome> {
  const name = topic.slice('realtime:'.length);
  if (name === '') return refuse('TopicNameRequired: You must provide a topic name');
  if (!isRecord(payload)) {
    return refuse(`UnknownErrorOnChannel: expected params to be a :map, got: \`${inspectTerm(payload)}\``);
  }
  const request = parseJoinRequest(payload, name);
  const refusal = limitRefusal(services, limits, socket, request.isPrivate);
  if (refusal) return refusal;
  const given = request.accessToken;
  const token = given === null || given.startsWith('sb_') ? socket.token : given;
  const checked = await services.checkToken(token);
  if (!checked.ok) return refuse(checked.reason);
  if (services.settings().databaseUnavailable) {
    return refuse('UnableToConnectToProject: Realtime was unable to connect to the project database');
  }
  if (request.isPrivate && typeof checked.claims.role !== 'string')
    return refuse('Realtime was unable to connect to the project database');
  const permissions = await services.permissions(checked.claims, name, request.isPrivate);
  const isPresenceEnabled = request.presenceEnabled || services.settings().presenceEnabled;
  const presence = request.isPrivate && !isPresenceEnabled ? null : permissions.presence.read;
  const read = { broadcast: permissions.broadcast.read, presence };
  if (!read.broadcast && presence !== true) return refuse(`Unauthorized: ${unreadableMessage(name)}`);
  let replayed: readonly ReplayedMessage[] = [];
  if (request.replay) {
    if (!read.broadcast) return refuse(`Unauthorized: ${unreadableMessage(name)}`);
    if (!request.isPrivate) {
      return refuse('UnableToReplayMessages: Replay is not allowed for public channels');
    }
    const messages = await loadReplay(services.database, name, request.replay);
    if (!messages) return refuse('UnableToReplayMessages: Replay params are not valid');
    replayed = messages;
  }
  const malformed = malformedConfig(payload);
  if (malformed !== null) return refuse(`UnknownErrorOnChannel: ${malformed}`);
  limits.onJoin();
  const { claims } = checked;
  const channel = new Channel(services, {
    socket,
    topic,
    name,
    refs: { joinRef, ref },
    request,
    token,
    claims,
    read,
    replayed,
  });
  return { ok: true, channel };
}

function limitRefusal(
  { settings }: ChannelServices,
  { joins, joinedSockets }: JoinLimits,
  { channels }: JoiningSocket,
  isPrivate: boolean,
): Extract<JoinOutcome, { ok: false }> | null {
  const { privateOnly, maxConnections, maxChannelsPerConnection } = settings();
  if (privateOnly && !isPrivate) return refuse('PrivateOnly: This project only allows private channels');
  if (channels.size === 0 && joinedSockets() >= maxConnections) {
    return refuse('ConnectionRateLimitReached: Too many connected users');
  }
  if (joins.isExceeded) {
    return { ...refuse('ClientJoinRateLimitReached: Too many joins per second'), closesSocket: true };
  }
  joins.add();
  if (channels.size >= maxChannelsPerConnection) {
    return refuse('ChannelRateLimitReached: Too many channels');
  }
  return null;
}

const refuse = (reason: string) => ({ ok: false, reason }) as const;
