import type { Platform } from 'supabase-protocol-clients/platform';
import { RestError, type RestErrorCode } from 'supabase-protocol-clients/rest-client';
import { showNotice } from '../../features/outbox/show-notice.ts';
import { createOutbox, type Outbox, type OutboxNotice } from '../../shared/outbox/outbox.ts';
import { createOutboxStorage } from '../../shared/outbox/outbox-storage.ts';
import { openedOutbox } from '../../shared/clients/sign-out-question.ts';

/** Failures after which the same request may succeed. */
const retryableCodes: ReadonlySet<RestErrorCode> = new Set<RestErrorCode>([
  'network',
  'timeout',
  'aborted',
  'not-the-service',
  'unavailable',
  'server',
  'rate-limited',
  'serialization',
  'statement-timeout',
  // The session may be refreshed; if it has ended, the sign-out deletes the actions.
  'unauthenticated',
  'token-expired',
  'token-not-yet-valid',
  'token-unavailable',
]);

/** The outbox of a user on this device, which sends by the rest client's rules. */
export function openOutbox(userId: string, platform: Platform, checkSession: () => Promise<unknown>): Outbox {
  let isClosed = false;
  const tell = async (notice: OutboxNotice) => {
    // A session that has ended finds no rows, as if they were deleted: the check signs out, which closes this outbox.
    if (notice.type === 'deleted') await checkSession().catch(platform.report);
    if (!isClosed) await showNotice(notice);
  };
  const outbox = createOutbox({
    userId,
    platform,
    storage: createOutboxStorage(userId),
    isRetryable: (problem) => problem instanceof RestError && retryableCodes.has(problem.code),
    notify: (notice) => void tell(notice).catch(platform.report),
  });
  openedOutbox.set(outbox);
  return {
    ...outbox,
    close() {
      isClosed = true;
      outbox.close();
      if (openedOutbox.getSnapshot() === outbox) openedOutbox.set(null);
    },
  };
}
