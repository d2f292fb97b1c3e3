import type { HttpLogEvent } from '../platform/log.ts';
import type { FetchFunction, Platform } from '../platform/platform.ts';
import type { RealtimeEvent } from '../realtime-client/index.ts';

/** What happened in a client, for logs and metrics. Never contains tokens, bodies or payloads. */
export type ClientEvent = HttpLogEvent | RealtimeEvent;

/** Options of every service. */
export interface ServiceOptions<Event extends ClientEvent = ClientEvent> {
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests (Fetch standard). Default: the platform's. */
  readonly fetch?: FetchFunction;
  /** Called with an event per HTTP exchange and per change of a channel. Default: none. */
  readonly log?: (event: Event) => void;
  /** The `traceparent` header (W3C Trace Context) of the next request; null for none. Default: none. */
  readonly traceparent?: () => string | null;
}

/** The options of one service: its own ones win over those of all services; headers are merged by name. */
export function serviceOptions<Event extends ClientEvent>(
  { headers, fetch, log, traceparent }: ServiceOptions<Event>,
  own: ServiceOptions<Event> | undefined,
  platform: Platform,
) {
  const ownFetch = own?.fetch ?? fetch;
  const ownLog = own?.log ?? log;
  const ownTraceparent = own?.traceparent ?? traceparent;
  return {
    headers: { ...headers, ...own?.headers },
    platform: ownFetch ? { ...platform, fetch: ownFetch } : platform,
    ...(ownLog && { log: ownLog }),
    ...(ownTraceparent && { traceparent: ownTraceparent }),
  };
}
