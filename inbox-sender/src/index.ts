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
export type { SenderOptions } from './project.ts';
export { createSender, type CallOptions, type Sender } from './sender.ts';
