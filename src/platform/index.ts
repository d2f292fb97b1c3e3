/** The runtime as the clients see it: `createPlatform()`, and the types to replace parts of it. */
export { backoffDelayMs, type BackoffOptions, doublingDelaysMs } from './backoff.ts';
export { createPlatform } from './browser-platform.ts';
export { CallUser, type GetAccessToken, type TokenRequest } from './call-user.ts';
export { ListenerSet } from './listeners.ts';
export type { HttpLogEvent, Log, ServiceName } from './log.ts';
export type {
  TabChannel,
  Clock,
  FetchFunction,
  LockOptions,
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
export { retry, type RetryPolicy } from './retry.ts';
export { isReadableByUsers, secretKeyProblem } from './secret-key.ts';
export { createObservable, type Readable, type Observable } from './observable.ts';
export { adaptWebSocket, type WebSocketLike } from './web-socket.ts';
export { createTraceparent } from './trace-context.ts';
export { createWorkerClock, serveTimers } from './worker-clock.ts';
export type { TimerRequest, TimerWorker, TimerWorkerScope, WorkerClock } from './worker-clock.ts';
