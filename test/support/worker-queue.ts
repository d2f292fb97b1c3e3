import { createDatabaseCaller } from '../../supabase/functions/_shared/runtime/database-functions.ts';
import { createFailureLog } from '../../supabase/functions/_shared/runtime/failure-log.ts';

export const traceId = '0af7651916cd43dd8448eb211c80319c';

type Args = Readonly<Record<string, unknown>>;

export interface WorkerQueue {
  /** The options of a worker's run, without transport and times. */
  readonly options: {
    readonly callDatabase: ReturnType<typeof createDatabaseCaller>;
    readonly log: ReturnType<typeof createFailureLog>;
    readonly wait: (durationMs: number) => Promise<void>;
    readonly startNext: () => Promise<void>;
  };
  /** The arguments of each claim. */
  readonly claims: readonly Args[];
  /** The arguments of the acknowledgments that were accepted, by the id of the item. */
  readonly finished: ReadonlyMap<string, Args>;
  outcomeOf(id: string): unknown;
  outcomes(): readonly unknown[];
  /** How many acknowledgments of an item were received. */
  callsFor(id: string): number;
  /** The waits of the run, in milliseconds. */
  readonly waits: readonly number[];
  /** How many next runs were started. */
  started(): number;
  /** The lines of the log. */
  lines(): readonly Args[];
}

/**
 * A queue whose data service responds to acknowledgments by `respond`, which gets the item's id and the number of its calls.
 *
 * @param skipped how many items of each batch are claimed and not returned.
 */
export function createWorkerQueue(
  items: readonly object[],
  respond: (id: string, call: number) => Response = () => Response.json(true),
  skipped = 0,
): WorkerQueue {
  const waiting = [...items];
  const calls = new Map<string, number>();
  const finished = new Map<string, Args>();
  const claims: Args[] = [];
  const waits: number[] = [];
  const written: string[] = [];
  let started = 0;
  const fetchFake = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const args = (await request.json()) as Readonly<Record<string, string>>;
    const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
    if (name.startsWith('claim_')) {
      claims.push(args);
      const batch = waiting.splice(0, Number(args['batch_size']) - skipped);
      const claimed = batch.length + skipped;
      return Response.json({ claimed, mails: batch, messages: batch, webhooks: batch });
    }
    const id = args['mail_id'] ?? args['message_id'] ?? args['webhook_id'] ?? '';
    const call = (calls.get(id) ?? 0) + 1;
    calls.set(id, call);
    const response = respond(id, call);
    if (response.ok) finished.set(id, args);
    return response;
  };
  const log = createFailureLog(
    new Request('http://localhost', { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } }),
    'worker',
    (line) => void written.push(line),
  );
  const env = { SUPABASE_URL: 'http://localhost', SUPABASE_SERVICE_ROLE_KEY: 'key' };
  return {
    options: {
      callDatabase: createDatabaseCaller({ env, fetch: fetchFake, now: () => 0 }, log.traceparent),
      log,
      wait: async (durationMs) => void waits.push(durationMs),
      startNext: async () => void (started += 1),
    },
    claims,
    finished,
    outcomeOf: (id) => finished.get(id)?.['outcome'],
    outcomes: () => [...finished.values()].map((args) => args['outcome']),
    callsFor: (id) => calls.get(id) ?? 0,
    waits,
    started: () => started,
    lines: () => written.map((line) => JSON.parse(line) as Args),
  };
}

export const queuedMail = (id: string) => ({
  id,
  lease: `lease of ${id}`,
  topic: 'test',
  thread_id: 't',
  due_at: '2032-01-01T00:00:00Z',
  address: `${id}@example.com`,
  name: 'Ada',
  language: 'en',
  time_zone: 'UTC',
  frequency: 'daily',
  items: [],
  item_count: 0,
  security_event: null,
  unsubscribe_token: 'token',
});

export const queuedPushMessage = (id: string) => ({
  id,
  lease: `lease of ${id}`,
  endpoint: 'https://push.example.com/x',
  p256dh: 'key',
  auth: 'secret',
  language: 'en',
  newest: { id: 'n', kind: 'mention', content: null, created_at: '2032-01-01T00:00:00Z', is_in_inbox: true },
  item_count: 1,
  unread_count: 1,
});

export const queuedWebhook = (id: string) => ({
  id,
  lease: `lease of ${id}`,
  url: 'https://hooks.example.com/x',
  secret: 'whsec_AAAA',
  body: '{}',
});

/** `count` items with the ids `item-0`, `item-1`, … */
export const times = (count: number, create: (id: string) => object): readonly object[] =>
  Array.from({ length: count }, (_, index) => create(`item-${index}`));
