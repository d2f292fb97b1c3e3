export { SenderError, type SenderErrorCode } from './errors.ts';
export type { ByLanguage, Kind, KindIcon } from './kind.ts';
export type {
  Action,
  Channel,
  Delivery,
  Message,
  MessageContent,
  MessageStatus,
  Recipients,
} from './message.ts';
export { createSender, type CallOptions, type Sender, type SenderOptions } from './sender.ts';
