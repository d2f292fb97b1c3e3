import { describe, expect, test } from 'vitest';
import type { Platform } from '../../src/platform/platform.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { foreignResponses } from '../support/wire/foreign-responses.ts';
import { sessionReply } from '../support/wire/replies.ts';
import { serviceCalls } from '../support/wire/service-calls.ts';

/** Shorter than the deadline that any client has by default. */
const deadlineMs = 1_000;

/** A platform that signs in with any password. Each further request first meets `event`, and a page answers if it is not aborted. */
function createEventfulPlatform(event: (pass: (ms: number) => Promise<void>) => unknown): Platform {
  const world = createFakeWorld();
  return world.openTab({
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.url.includes('grant_type=password')) return Response.json(sessionReply('ada', 1));
      await event(world.clock.advance);
      request.signal.throwIfAborted();
      return foreignResponses.page();
    },
  });
}

const codeOf = (outcome: Promise<unknown>) =>
  outcome.then(
    () => 'accepted',
    (problem: unknown) => (problem as { readonly code: unknown }).code,
  );

describe.each(Object.entries(serviceCalls))('%s', (_title, clients) => {
  const rows = clients.flatMap(({ name, rows: calls }) => calls.map((row) => ({ ...row, name })));

  test.each(rows)('$method of $name ends when its signal aborts', async ({ call }) => {
    const abort = new AbortController();
    const platform = createEventfulPlatform(() => abort.abort());
    expect(await codeOf(call(platform, { signal: abort.signal }))).toBe('aborted');
  });

  // A resumable upload has no deadline.
  test.each(rows.filter(({ name }) => name !== 'resumable'))(
    '$method of $name ends at its deadline',
    async ({ call }) => {
      const platform = createEventfulPlatform((pass) => pass(deadlineMs));
      expect(await codeOf(call(platform, { timeoutMs: deadlineMs }))).toBe('timeout');
    },
  );
});
