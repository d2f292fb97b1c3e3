import type { Platform } from 'supabase-protocol-clients/platform';
import { RestError, type RestErrorCode } from 'supabase-protocol-clients/rest-client';
import { showNotice } from '../../features/outbox/show-notice.ts';
import { createOutbox, type Outbox } from '../../shared/outbox/outbox.ts';
import { createOutboxStorage } from '../../shared/outbox/outbox-storage.ts';
import { openedOutbox } from '../../shared/clients/sign-out-question.ts';

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
  // The session may be refreshed; if it has ended, the sign-out deletes the actions.
  'unauthenticated',
  'token-expired',
  'token-unavailable',
]);

/** The outbox of a user on this device, which sends by the rest client's rules. */
export function openOutbox(userId: string, platform: Platform): Outbox {
  const outbox = createOutbox({
    userId,
    platform,
    storage: createOutboxStorage(userId),
    isRetryable: (problem) => problem instanceof RestError && retryableCodes.has(problem.code),
    notify: (notice) => void showNotice(notice),
  });
  openedOutbox.set(outbox);
  return {
    ...outbox,
    close() {
      outbox.close();
      if (openedOutbox.getSnapshot() === outbox) openedOutbox.set(null);
    },
  };
}
