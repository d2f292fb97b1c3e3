/** Public names of the realtime client. Live queries, the shared socket and further features are separate entries. */
export { createRealtimeClient } from './realtime-client.ts';
export type {
  ClientPort,
  RealtimeChannel,
  RealtimeClient,
  RealtimeClientOptions,
  ShareConnection,
} from './realtime-client.ts';
export type { ChangeBinding, Channel, ChannelMessage, ChannelPort } from './channel/channel.ts';
export type { JoinConfig, ReplayRequest } from './channel/join-config.ts';
export type { RealtimeEvent } from './events.ts';
export type {
  ChannelSnapshot,
  ChannelStatus,
  ConnectionSnapshot,
  ContinuityLoss,
  GetAccessToken,
  OnTokenChange,
  TabPresence,
} from './socket/connection.ts';
export { RealtimeError } from './errors.ts';
export type { RealtimeErrorCode } from './errors.ts';
export type { Binding, Change, ChangeType, RowRecord } from './changes/postgres-changes.ts';
export { createRowParser } from './changes/row-schema.ts';
export { defaultSettings } from './settings.ts';
export type { RealtimeSettings } from './settings.ts';
export type { ProtocolVersion } from './socket/wire.ts';
