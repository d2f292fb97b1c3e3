import { expect, test, vi } from 'vitest';
import { RestError } from '../../../src/rest-client/index.ts';
import { followErrors, reportProblem, type ErrorReport } from '../../../src/inbox/app/error-reports.ts';

function open(pathname = '/home') {
  const target = new EventTarget();
  const sent: ErrorReport[] = [];
  const page = Object.assign(target, { location: { pathname } }) as unknown as Window;
  const clock = { nowMs: Date.UTC(2026, 10, 24) };
  followErrors({ page, now: () => clock.nowMs, send: (report) => void sent.push(report) });
  const emit = (type: string, details: object) =>
    target.dispatchEvent(Object.assign(new Event(type), details));
  return { sent, emit, clock };
}

test('an error and a rejection that nothing handled are sent, each once', () => {
  const { sent, emit } = open();
  const error = new TypeError('x is undefined');
  for (let count = 0; count < 3; count += 1) emit('error', { error });
  emit('unhandledrejection', { reason: 'stopped' });
  emit('error', { error: null, message: 'Script error.' });
  expect(sent).toMatchObject([
    { name: 'TypeError', message: 'x is undefined', screen: '/home', at: '2026-11-24T00:00:00.000Z' },
    { name: 'string', message: 'stopped', stack: '' },
    { name: 'string', message: 'Script error.' },
  ]);
  expect(sent[0]?.stack).toContain('error-reports.test');
});

test('an outage is logged, and a bug is an uncaught error', () => {
  const thrown = vi.fn<(problem: unknown) => void>();
  const logged = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.stubGlobal('reportError', thrown);
  const outages = [new RestError('network', 'The request failed'), new RestError('server', 'HTTP 500')];
  const faults = [new RestError('invalid-query', 'No such column'), new TypeError('x is undefined'), 'text'];
  for (const problem of [...outages, ...faults]) reportProblem(problem);
  expect(logged.mock.calls.flat()).toEqual(outages);
  expect(thrown.mock.calls.flat()).toEqual(faults);
  logged.mockRestore();
  vi.unstubAllGlobals();
});

test.each(['beforeunload', 'pagehide'])('a failure that leaving the page causes is not sent (%s)', (type) => {
  const { sent, emit, clock } = open();
  emit(type, {});
  emit('unhandledrejection', { reason: new TypeError('error loading dynamically imported module') });
  expect(sent).toEqual([]);
  clock.nowMs += 5_000;
  emit('error', { error: new Error('the person stayed') });
  expect(sent).toMatchObject([{ message: 'the person stayed' }]);
});

test('at most ten errors of a visit are sent', () => {
  const { sent, emit } = open();
  for (let count = 0; count < 50; count += 1) emit('error', { error: new Error(`number ${count}`) });
  expect(sent).toHaveLength(10);
});

test.each([
  ['a token', 'refused eyJhbGciOi.eyJzdWIi.c2ln', 'refused …'],
  ['a secret key', 'with sb_secret_abc_123', 'with …'],
  ['the query of a URL', 'GET https://a.test/x?apikey=k&b=1 failed', 'GET https://a.test/x… failed'],
  ['the fragment of a link', '(/home#token_hash=abc)', '(/home…)'],
  ['the code of an invitation', '/join/0123456789abcdef0123456789abcdef', '/join/…'],
  ['an address', 'no account ada@example.com', 'no account …'],
])('%s is left out', (_name, message, shown) => {
  const { sent, emit } = open('/join/0123456789abcdef0123456789abcdef');
  emit('error', { error: Object.assign(new Error(message), { stack: `Error: ${message}` }) });
  expect(sent).toMatchObject([{ message: shown, stack: `Error: ${shown}`, screen: '/join' }]);
});

test('a report of unlimited length is truncated', () => {
  const { sent, emit } = open();
  emit('error', { error: new Error('a b '.repeat(10_000)) });
  expect(sent[0]?.message.length).toBeLessThanOrEqual(2_000);
});
