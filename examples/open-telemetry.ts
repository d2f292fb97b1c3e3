import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import type { ClientEvent } from 'supabase-protocol-clients';

/** The header of the active span (W3C Trace Context §3.2), sent with every request of a client. */
export function activeTraceparent(): string | null {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? `00-${span.traceId}-${span.spanId}-0${span.traceFlags & TraceFlags.SAMPLED}` : null;
}

/**
 * Records each exchange as a child of the span that was active when its request was sent.
 *
 * @param now milliseconds since the epoch.
 */
export const recordExchanges = (tracer: Tracer, now: () => number) => (event: ClientEvent) => {
  if (event.type !== 'http') return;
  const [, traceId, spanId, flags] = event.traceparent?.split('-') ?? [];
  if (!traceId || !spanId) return;
  const endMs = now();
  const parent = trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number(flags),
    isRemote: false,
  });
  const span = tracer.startSpan(
    `${event.method} ${event.path}`,
    {
      kind: SpanKind.CLIENT,
      startTime: endMs - event.durationMs,
      attributes: {
        'http.request.method': event.method,
        'url.path': event.path,
        'peer.service': event.service,
        ...(event.status !== null && { 'http.response.status_code': event.status }),
        ...(event.failure !== null && { 'error.type': event.failure }),
      },
    },
    parent,
  );
  if (event.failure !== null || (event.status ?? 0) >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endMs);
};
