export { SenderError, type SenderErrorCode } from './errors.ts';
export type { Channel, Delivery, Message, MessageContent, MessageStatus, Recipients } from './message.ts';
export { createSender, type CallOptions, type Sender, type SenderOptions } from './sender.ts';
