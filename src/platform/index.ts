/** The runtime as the clients see it: `createBrowserPlatform()`, and the types to replace parts of it. */
export { backoffDelayMs, type BackoffOptions, doublingDelaysMs } from './backoff.ts';
export { createBrowserPlatform } from './browser-platform.ts';
export type { HttpLogEvent, Log, ServiceName } from './log.ts';
export type {
  Broadcast,
  Clock,
  FetchFunction,
  Locks,
  Page,
  PageSignal,
  Platform,
  Random,
  Socket,
  SocketClose,
  Timer,
  Unsubscribe,
} from './platform.ts';
export { adaptWebSocket, type WebSocketLike } from './web-socket.ts';
export { createTraceparent } from './trace-context.ts';
