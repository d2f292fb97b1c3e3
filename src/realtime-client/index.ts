/**
 * The realtime client: channels. Features with separate entries: `postgres-changes`, `live-query`, `broadcast`, `presence`,
 * `shared-socket`.
 */
export { createRealtimeClient } from './realtime-client.ts';
export type { RealtimeClient, RealtimeClientOptions, ShareConnection } from './realtime-client.ts';
export { RealtimeError } from './errors.ts';
export type { RealtimeErrorCode, RealtimeErrorFields } from './errors.ts';

// Channels.
export type { Channel, ChannelMessage } from './channel/channel.ts';
export type { JoinConfig, ReplayRequest } from './protocol/join-config.ts';
export type { Binding, Change, ChangeType, ContinuityLoss, RowRecord } from './protocol/change.ts';

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
export type { ProtocolVersion } from './protocol/message.ts';
