/** Public names of the realtime client. Live queries, the shared socket and further features are separate entries. */
export { createRealtimeClient } from './realtime-client.ts';
export type {
  RealtimeChannel,
  RealtimeClient,
  RealtimeClientOptions,
  ShareConnection,
} from './realtime-client.ts';
export type { ChangeBinding, Channel } from './channel/channel.ts';
export type {
  ChannelSnapshot,
  ChannelStatus,
  ConnectionSnapshot,
  ContinuityLoss,
  GetAccessToken,
  OnTokenChange,
} from './socket/connection.ts';
export { RealtimeError } from './errors.ts';
export type { RealtimeErrorCode } from './errors.ts';
export type { Binding, Change, ChangeType, RowRecord } from './changes/postgres-changes.ts';
export { createRowParser } from './changes/row-schema.ts';
export { defaultSettings } from './settings.ts';
export type { RealtimeSettings } from './settings.ts';
export type { ProtocolVersion } from './socket/wire.ts';
