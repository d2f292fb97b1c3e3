import type { Platform } from 'supabase-protocol-clients/platform';
import { RestError } from 'supabase-protocol-clients/rest-client';
import type { RestErrorCode } from 'supabase-protocol-clients/rest-client';
import type { OutboxSender } from '../../shared/outbox/outbox.ts';
import { createOutbox } from './outbox.ts';
import type { Outbox } from './outbox.ts';
import { showOutcomes, showTooLate } from './outcome-toasts.ts';
import { createOutboxStorage } from './outbox-storage.ts';

/** Failures after which the same request may succeed. */
const retryableCodes: ReadonlySet<RestErrorCode> = new Set<RestErrorCode>([
  'network',
  'timeout',
  'aborted',
  'gateway',
  'unavailable',
  'server',
  'rate-limited',
  'serialization',
  'statement-timeout',
  // The session may be refreshed; if it has ended, the sign-out deletes the changes.
  'unauthenticated',
  'token-expired',
  'token-unavailable',
]);

/** The outbox of a user on this device, which sends by the rest client's rules. */
export function openOutbox(options: {
  readonly userId: string;
  readonly senders: Readonly<Record<string, OutboxSender<unknown>>>;
  readonly platform: Platform;
}): Outbox {
  const outbox = createOutbox({
    ...options,
    storage: createOutboxStorage(options.userId),
    isRetryable: (problem) => problem instanceof RestError && retryableCodes.has(problem.code),
  });
  const stopShowing = showOutcomes(outbox, options.platform.clock);
  return {
    ...outbox,
    async withdraw(id) {
      const isWithdrawn = await outbox.withdraw(id);
      if (!isWithdrawn) await showTooLate();
      return isWithdrawn;
    },
    async discard(id) {
      const isDiscarded = await outbox.discard(id);
      if (!isDiscarded) await showTooLate();
      return isDiscarded;
    },
    close() {
      stopShowing();
      outbox.close();
    },
  };
}
