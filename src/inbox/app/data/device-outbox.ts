import { AuthError } from 'supabase-protocol-clients/auth-client';
import type { Platform } from 'supabase-protocol-clients/platform';
import { RestError, type RestErrorCode } from 'supabase-protocol-clients/rest-client';
import { showNotice } from '../../features/outbox/show-notice.ts';
import { Outbox } from '../../shared/outbox/outbox.ts';
import type { AddAction, OutboxTopic } from '../../shared/outbox/outbox-topic.ts';
import { createOutboxStorage } from '../../shared/outbox/outbox-storage.ts';
import { keptChanges, openedOutbox } from '../../shared/clients/sign-out-question.ts';

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
  // The session may be refreshed; if it has ended, the actions wait for the next one of the same user.
  'unauthenticated',
  'token-expired',
  'token-not-yet-valid',
  'token-unavailable',
]);

/** The outbox of a user on this device, which sends by the rest client's rules. */
export class DeviceOutbox extends Outbox {
  readonly #checkSession: () => Promise<unknown>;

  constructor(userId: string, platform: Platform, checkSession: () => Promise<unknown>) {
    const { report, clock } = platform;
    const show = (notice: Parameters<typeof showNotice>[0]) => void showNotice(notice).catch(report);
    super({
      userId,
      platform,
      storage: createOutboxStorage({
        userId,
        now: clock.now,
        onDropped: (count) => show({ type: 'dropped', count }),
      }),
      // Only the check of the session fails with an `AuthError`: until it has a result, the action stays.
      isRetryable: (problem) =>
        problem instanceof AuthError || (problem instanceof RestError && retryableCodes.has(problem.code)),
      notify: show,
    });
    this.#checkSession = checkSession;
    openedOutbox.set(this);
  }

  override addTopic<Payload, Response>(
    name: string,
    topic: OutboxTopic<Payload, Response>,
  ): AddAction<Payload, Response> {
    return super.addTopic(name, {
      ...topic,
      send: async (payload: Payload) => {
        const outcome = await topic.send(payload);
        // A session that has ended finds no rows, as if they were deleted: the check signs out, which closes this outbox and keeps the action.
        if (outcome.type === 'deleted') await this.#checkSession();
        return outcome;
      },
    });
  }

  override close(): void {
    keptChanges.set(this.countPending());
    super.close();
    if (openedOutbox.getSnapshot() === this) openedOutbox.set(null);
  }
}
