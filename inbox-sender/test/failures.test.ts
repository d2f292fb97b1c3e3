import { createSender, type SenderOptions } from 'inbox-sender';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const recipients = ['ada00000-0000-4000-8000-000000000001'];

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Sends a message, and returns the error and the times of the attempts within ten minutes. */
async function attempt(respond: () => Promise<Response>, options: Partial<SenderOptions> = {}) {
  const times: number[] = [];
  const sender = createSender({
    url: 'https://project.example',
    secretKey: 'sb_secret_test',
    ...options,
    fetch: () => {
      times.push(Date.now());
      return respond();
    },
  });
  let problem: unknown = 'pending';
  let endedAt = 0;
  void sender.send({ recipients, text: 'x' }).catch((error: unknown) => {
    problem = error;
    endedAt = Date.now();
  });
  await vi.advanceTimersByTimeAsync(600_000);
  return { problem, times, endedAt };
}
const fail =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  () =>
    Promise.resolve(
      new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
    );

it('makes four more attempts after up to 0.5, 1, 2, 4 seconds', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(1);
  const { problem, times } = await attempt(() => Promise.reject(new TypeError('fetch failed')));
  expect(problem).toMatchObject({ code: 'unavailable' });
  expect(times).toEqual([0, 500, 1500, 3500, 7500]);
});

it('waits a random part of up to eight seconds', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const { times } = await attempt(fail(503, ''), { retries: 6 });
  expect(times.map((time, place) => time - (times[place - 1] ?? 0))).toEqual([
    0, 250, 500, 1000, 2000, 4000, 4000,
  ]);
});

it.each([
  [{}, 10_000],
  [{ timeoutMs: 1500 }, 1500],
])('ends an attempt without a response at the deadline of %j: %i ms', async (options, timeoutMs) => {
  const { problem, endedAt } = await attempt(() => new Promise(() => undefined), { retries: 0, ...options });
  expect(problem).toMatchObject({ code: 'unavailable' });
  expect(endedAt).toBe(timeoutMs);
});

it.each([2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY])(
  'an attempt with a deadline of %d ms still waits for its response after ten minutes',
  async (timeoutMs) => {
    const { problem, times } = await attempt(() => new Promise(() => undefined), { timeoutMs });
    expect([problem, times]).toEqual(['pending', [0]]);
  },
);

it('waits as long as Retry-After asks, up to a minute', async () => {
  const waits = (seconds: string) => attempt(fail(503, '', { 'retry-after': seconds }), { retries: 1 });
  expect((await waits('60')).times).toHaveLength(2);
  expect((await waits('61')).times).toHaveLength(1);
});

it.each([429, 502, 503, 504, 520, 521, 522, 523, 524, 530])('retries after %i', async (status) => {
  const { problem, times } = await attempt(fail(status, { message: 'x' }), { retries: 1 });
  expect(problem).toMatchObject({ code: 'unavailable' });
  expect(times).toHaveLength(2);
});

it('retries after a page of a gateway with status 500', async () => {
  const { problem, times } = await attempt(fail(500, '<p>error</p>'), { retries: 1 });
  expect([problem, times.length]).toMatchObject([{ code: 'unavailable' }, 2]);
});

it.each<[number, unknown, string, string]>([
  [
    400,
    { message: 'message_invalid', details: 'messages[0].text is empty.' },
    'invalid-message',
    'messages[0].text is empty.',
  ],
  [
    409,
    { message: 'key_reused', details: 'messages[0].idempotency_key' },
    'key-reused',
    'messages[0].idempotencyKey',
  ],
  [400, { message: 'kind_invalid', details: 'kind.name is empty.' }, 'invalid-kind', 'kind.name is empty.'],
  [409, { message: 'notification_kinds_limit_exceeded', details: '50' }, 'invalid-kind', '50'],
  [404, { message: 'message_not_found' }, 'not-found', 'There is no such message.'],
  [
    404,
    { code: 'PGRST202', message: 'x' },
    'not-installed',
    'The project lacks the migrations of the inbox.',
  ],
  [401, { message: 'x' }, 'unauthenticated', 'The key is not the secret key of the project.'],
  [403, '', 'unauthenticated', 'The key is not the secret key of the project.'],
  [400, { code: '42501', message: 'x' }, 'unauthenticated', 'The key is not the secret key of the project.'],
  [500, { code: 'XX000', message: 'broken' }, 'server', 'The project responded with 500: broken'],
  [400, { code: '140001', message: 'x' }, 'server', 'The project responded with 400: x'],
  [400, { code: '40001x', message: 'x' }, 'server', 'The project responded with 400: x'],
  [404, 'n'.repeat(400), 'server', `The project responded with 404: ${'n'.repeat(300)}`],
  [302, '', 'server', 'The project responded with 302: '],
  [200, '<p>', 'server', 'The response is not JSON.'],
])('%i %j is %s, without another attempt', async (status, body, code, message) => {
  const { problem, times } = await attempt(fail(status, body));
  expect(problem).toMatchObject({ name: 'SenderError', code, message });
  expect(problem).toHaveProperty('cause');
  expect(times).toEqual([0]);
});

it.each([[null], [{}], [[]], [[null]], [[{}]]])(
  'the response %j is server, with the cause',
  async (response) => {
    const isEmpty = Array.isArray(response) && response.length === 0;
    const { problem, times } = await attempt(fail(200, response));
    expect(problem).toMatchObject({ name: 'SenderError', code: 'server' });
    expect((problem as Error).cause instanceof TypeError).toBe(!isEmpty);
    expect(times).toEqual([0]);
  },
);

it('the cause of the error of a lost response is the network failure', async () => {
  const lost = new TypeError('fetch failed');
  const { problem } = await attempt(() => Promise.reject(lost), { retries: 0 });
  expect(problem).toMatchObject({
    code: 'unavailable',
    message: 'The project does not respond.',
    cause: lost,
  });
});

it.each([
  { retries: 1.5 },
  { retries: Number.POSITIVE_INFINITY },
  { timeoutMs: 0 },
  { timeoutMs: Number.NaN },
])('refuses %j', (options) => {
  expect(() =>
    createSender({ url: 'https://project.example', secretKey: 'sb_secret_test', ...options }),
  ).toThrow(expect.objectContaining({ code: 'invalid-options' }));
});

it.each([null, [], 'text'])('a dry run whose previews are %j fails as server', async (previews) => {
  const wire = { recipient_count: 1, deliveries: [], content: {}, words: {} };
  const sender = createSender({
    url: 'https://project.example',
    secretKey: 'sb_secret_test',
    fetch: async (input, init) =>
      Response.json(new Request(input, init).url.includes('/functions/') ? previews : [wire]),
  });
  await expect(sender.dryRun({ recipients, text: 'x' })).rejects.toMatchObject({
    code: 'server',
    cause: { code: 'invalid-message' },
  });
});

it.each([
  [404, '', 'not-installed', 'The project lacks the function notification-mails.'],
  [503, '', 'unavailable', 'The function notification-mails does not respond.'],
  [401, 'n'.repeat(400), 'server', `notification-mails responded with 401: ${'n'.repeat(300)}`],
  [200, '[]', 'server', 'The response of notification-mails has no previews.'],
])('a dry run whose function responds with %i %j is %s', async (status, body, code, message) => {
  const wire = { recipient_count: 1, deliveries: [], content: {}, words: {} };
  const sender = createSender({
    url: 'https://project.example',
    secretKey: 'sb_secret_test',
    retries: 0,
    fetch: async (input, init) =>
      new Request(input, init).url.includes('/functions/')
        ? new Response(body, { status })
        : Response.json([wire]),
  });
  await expect(sender.dryRun({ recipients, text: 'x' })).rejects.toMatchObject({ code, message });
});

it.each([
  ['tried', '/rest/'],
  ['rendered', '/functions/'],
])('a dry run that is aborted while it is %s ends as aborted', async (_, path) => {
  const abort = new AbortController();
  const wire = { recipient_count: 1, deliveries: [], content: {}, words: {} };
  const sender = createSender({
    url: 'https://project.example',
    secretKey: 'sb_secret_test',
    fetch: (input, init) => {
      const request = new Request(input, init);
      if (!request.url.includes(path)) return Promise.resolve(Response.json([wire]));
      abort.abort();
      return Promise.reject(request.signal.reason as Error);
    },
  });
  const dryRun = sender.dryRun({ recipients, text: 'x' }, { signal: abort.signal });
  await expect(dryRun).rejects.toMatchObject({ code: 'aborted' });
});
