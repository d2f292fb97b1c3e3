/** Public names of the realtime client. `live-query.ts` and `shared-socket.ts` are entries of their own. */
export { createRealtimeClient } from './realtime-client.ts';
export type {
  RealtimeChannel,
  RealtimeClient,
  RealtimeClientOptions,
  ShareConnection,
} from './realtime-client.ts';
export type { ChangeBinding, Channel } from './channel.ts';
export type {
  ChannelSnapshot,
  ChannelStatus,
  ConnectionSnapshot,
  ContinuityLoss,
  GetAccessToken,
  OnTokenChange,
} from './connection.ts';
export { RealtimeError } from './errors.ts';
export type { RealtimeErrorCode } from './errors.ts';
export type { Binding, Change, ChangeType, RowRecord } from './postgres-changes.ts';
export { createRowParser } from './row-schema.ts';
export type { RowSchema } from './row-schema.ts';
export { defaultSettings } from './settings.ts';
export type { RealtimeSettings } from './settings.ts';
export type { ProtocolVersion } from './wire.ts';
