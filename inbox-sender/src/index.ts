export { SenderError, type SenderErrorCode } from './errors.ts';
export type { ByLanguage, Kind, KindIcon } from './kind.ts';
export type {
  Action,
  Channel,
  Delivery,
  DryRun,
  Message,
  MessageContent,
  MessageStatus,
  Preview,
  Recipients,
} from './message.ts';
export { createSender, type CallOptions, type Sender, type SenderOptions } from './sender.ts';
