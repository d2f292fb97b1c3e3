/**
 * The realtime client: channels. Features with separate entries: `postgres-changes`, `live-query`, `broadcast`, `presence`,
 * `database-broadcast`, `http-broadcast`, `shared-socket`.
 */
export { createRealtimeClient } from './realtime-client.ts';
export type {
  ClientPort,
  RealtimeClient,
  RealtimeClientOptions,
  ShareConnection,
} from './realtime-client.ts';
export { RealtimeError } from './errors.ts';
export type { RealtimeErrorCode, RealtimeErrorFields } from './errors.ts';

// Channels.
export type { BoundChange, Channel, ChannelMessage, ChannelPort } from './channel/channel.ts';
export type { JoinConfig, ReplayRequest } from './protocol/join-config.ts';
export type { Binding, Bindings, Change, ChangeType, ContinuityLoss, RowRecord } from './protocol/change.ts';

// Connections and tokens.
export type { GetAccessToken } from '../platform/call-user.ts';
export type {
  ChannelSnapshot,
  ChannelStatus,
  ConnectionSnapshot,
  OnTokenChange,
  TabPresence,
} from './socket/connection.ts';
export type { RealtimeEvent } from './events.ts';
export { defaultSettings } from './settings.ts';
export type { RealtimeSettings } from './settings.ts';

// For the entries of the features.
export type {
  BinaryFrames,
  ChangeReceiver,
  ChangeSink,
  PostgresChangesProtocol,
  ProtocolParts,
} from './protocol/protocol-parts.ts';
export type { Message, ProtocolVersion } from './protocol/message.ts';
