import type { Platform } from '../../platform/platform.ts';
import { createWorkerClock } from '../../platform/worker-clock.ts';
import type { ProtocolVersion } from '../../realtime-client/protocol/message.ts';
import type { Untyped } from '../untyped.ts';

/** What happened to a heartbeat; `disconnected`: the socket was lost between two. */
export type HeartbeatStatus = 'sent' | 'ok' | 'timeout' | 'disconnected';

/** A class of websockets. */
export type WebSocketLikeConstructor = new (url: string) => object;

/** The options of the socket in the vendor's form. */
export interface RealtimeClientOptions {
  /** Parameters of the socket's URL. */
  params?: Record<string, Untyped>;
  /** Deadline of a connection attempt, a join and a heartbeat in milliseconds. Default 10,000. */
  timeout?: number;
  /** The version of the protocol. Default `2.0.0`. */
  vsn?: ProtocolVersion;
  /** Interval between heartbeats in milliseconds. Default 25,000. */
  heartbeatIntervalMs?: number;
  /** Called with each status of a heartbeat. */
  heartbeatCallback?: (status: HeartbeatStatus, latency?: number) => void;
  /** Delay in milliseconds before an attempt to connect, by its number from 1. */
  reconnectAfterMs?: (tries: number) => number;
  /** The class of the socket. Default: the runtime's `WebSocket`. */
  transport?: WebSocketLikeConstructor;
  /** Runs timers in a worker while the page is hidden. Default false. */
  worker?: boolean;
  /** Has no effect: this library creates the worker itself. */
  workerUrl?: string;
  /** What the server logs of this socket. */
  logLevel?: string;
  /** As `logLevel`. */
  log_level?: string;
  /** Has no effect here. */
  logger?: unknown;
  /** No effect: a socket without channels closes after a second. */
  disconnectOnEmptyChannelsAfterMs?: number;
}

const DELAYS = 10;

/** Converts the options to those of the native client. */
export function toNativeOptions({
  vsn,
  timeout,
  heartbeatIntervalMs,
  reconnectAfterMs,
  log_level,
  logLevel = log_level,
  params,
}: RealtimeClientOptions) {
  return {
    params: { ...params, ...(logLevel && { log_level: logLevel }) },
    ...(vsn && { vsn }),
    settings: {
      ...(timeout && { timeoutMs: timeout }),
      ...(heartbeatIntervalMs && { heartbeatMs: heartbeatIntervalMs }),
      ...(reconnectAfterMs && {
        reconnectDelaysMs: Array.from({ length: DELAYS }, (_, index) => reconnectAfterMs(index + 1)),
      }),
    },
  };
}

const TIMER_SCRIPT = 'onmessage = ({ data: { id, delayMs } }) => setTimeout(() => postMessage(id), delayMs)';

/** The platform with timers that stay on time while the page is hidden. */
export function withWorker(platform: Platform): Platform {
  const createWorker = () =>
    new Worker(URL.createObjectURL(new Blob([TIMER_SCRIPT], { type: 'text/javascript' })));
  return { ...platform, clock: createWorkerClock(platform, createWorker) };
}
