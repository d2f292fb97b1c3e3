/** Public names of the realtime client. Live queries, the shared socket and further features are separate entries. */
export { createRealtimeClient } from './realtime-client.ts';
export type {
  ClientPort,
  RealtimeClient,
  RealtimeClientOptions,
  ShareConnection,
} from './realtime-client.ts';
export type { BoundChange, Channel, ChannelMessage, ChannelPort } from './channel/channel.ts';
export type { JoinConfig, ReplayRequest } from './channel/join-config.ts';
export type { RealtimeEvent } from './events.ts';
export type {
  ChannelSnapshot,
  ChannelStatus,
  ConnectionSnapshot,
  GetAccessToken,
  OnTokenChange,
  TabPresence,
} from './socket/connection.ts';
export { RealtimeError } from './errors.ts';
export type { RealtimeErrorCode } from './errors.ts';
export type { Binding, Bindings, Change, ChangeType, ContinuityLoss, RowRecord } from './changes/change.ts';
export { defaultSettings } from './settings.ts';
export type { RealtimeSettings } from './settings.ts';
export type {
  BinaryFrames,
  ChangeReceiver,
  ChangeSink,
  PostgresChangesProtocol,
  ProtocolParts,
} from './protocol-parts.ts';
export type { Message, ProtocolVersion } from './socket/message.ts';
