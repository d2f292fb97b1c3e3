import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { activeTraceparent, recordExchanges } from '../../examples/open-telemetry.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import type { Database } from '../../src/inbox/database.types.ts';
import { useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer(
  'test',
);
const contexts = new AsyncLocalStorageContextManager();
beforeAll(() => void context.setGlobalContextManager(contexts.enable()));
afterAll(() => context.disable());

it('a request becomes a span below the one that was active, and the server sees its trace', async () => {
  const { url, anonKey, fetch } = supabase();
  const sent: (string | null)[] = [];
  const clients = createSupabaseClients<Database>({
    url,
    apiKey: anonKey,
    fetch: (input, init) => {
      sent.push(new Request(input, init).headers.get('traceparent'));
      return fetch(input, init);
    },
    store: createMemoryStore(),
    log: recordExchanges(tracer, Date.now),
    traceparent: activeTraceparent,
  });
  const parent = tracer.startSpan('a page');
  const read = async () =>
    expect(clients.rest.from('notifications').select('id').limit(1).execute()).rejects.toThrow(
      'permission denied',
    );
  await context.with(trace.setSpan(context.active(), parent), read);
  await read();
  const { traceId, spanId } = parent.spanContext();
  expect(sent).toEqual([`00-${traceId}-${spanId}-01`, null]);
  const [span, ...others] = exporter.getFinishedSpans();
  expect(others).toEqual([]);
  expect(span).toMatchObject({
    name: 'GET /rest/v1/notifications',
    parentSpanContext: { traceId, spanId },
    attributes: { 'http.request.method': 'GET', 'peer.service': 'rest' },
  });
  expect(span?.attributes['http.response.status_code']).toBe(401);
  expect(span?.status.code).toBe(SpanStatusCode.ERROR);
  clients.close();
});
