/** Messages that no table keeps, between clients and from backends, and the changes that triggers of the database broadcast. */
export { createBroadcast } from './broadcast.ts';
export type {
  Broadcast,
  BroadcastBuffer,
  BroadcastDrop,
  BroadcastEventOptions,
  BroadcastEvents,
  BroadcastMessage,
  BroadcastOptions,
  BroadcastOutcome,
  SendOptions,
} from './broadcast.ts';
export { bufferBroadcasts } from './buffer.ts';
export type { BroadcastBufferOptions } from './buffer.ts';
export { createDatabaseBroadcast, createRowParser } from './database-broadcast.ts';
export type { BroadcastBinding, DatabaseBroadcast } from './database-broadcast.ts';
export { sendBroadcast, sendBroadcasts } from './http-broadcast.ts';
export type {
  BroadcastCallOptions,
  SingleBroadcast,
  SingleBroadcastOptions,
  TopicBroadcast,
} from './http-broadcast.ts';
export type { BroadcastPolicy, DropReason } from './outbox.ts';
export type { Persist } from './persist.ts';
export type { RateLimit } from './rate-limit.ts';
