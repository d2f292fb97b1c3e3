import { useCallback, useEffect, useState, useTransition } from 'react';
import * as z from 'zod/mini';
import type { Database } from '../../../database.types.ts';
import type { RestClient } from '../../../rest-client/index.ts';
import { useClients, useRest } from '../../../shared/clients/clients-context.ts';
import { isTemporary } from '../preferences.ts';
import type { Preferences } from '../preferences.ts';

const statusSchema = z.object({
  address: z.nullable(z.string()),
  obstacle: z.nullable(z.enum(['account', 'unconfirmed', 'suppressed'])),
  suppression_reason: z.nullable(z.enum(['bounce', 'complaint'])),
  /** Unread notifications that the next mail carries. */
  waiting: z.number(),
  next_at: z.nullable(z.string()),
});

/** What the email settings lead to. */
export type MailStatus = z.infer<typeof statusSchema>;

/** Calls to the functions of mail. */
export interface MailApi {
  status(signal?: AbortSignal): Promise<MailStatus>;
  /** @throws {RestError} `rate-limited` for a second one within a minute. */
  sendTest(): Promise<void>;
  /** Sends mail to a suppressed address again. */
  allowAddress(): Promise<void>;
}

export function createMailApi(rest: RestClient<Database>): MailApi {
  return {
    status: async (signal) => statusSchema.parse(await rest.rpc('mail_status').execute({ signal })),
    async sendTest() {
      await rest.rpc('send_test_mail').execute();
    },
    async allowAddress() {
      await rest.rpc('allow_mail_address').execute();
    },
  };
}

export interface UsedMailStatus {
  /** null: not known, or a project without mail. */
  readonly status: MailStatus | null;
  readonly isSending: boolean;
  readonly sendTest: () => void;
  readonly isAllowing: boolean;
  readonly allowAddress: () => void;
}

export interface MailCallbacks {
  readonly onTestSent: () => void;
  readonly onFailure: (problem: unknown) => void;
}

/** Reads the status again after each saved change of the preferences. */
export function useMailStatus(preferences: Preferences, callbacks: MailCallbacks): UsedMailStatus {
  const { platform } = useClients();
  const rest = useRest();
  const [api] = useState(() => createMailApi(rest));
  const [status, setStatus] = useState<MailStatus | null>(null);
  const [isSending, startSending] = useTransition();
  const [isAllowing, startAllowing] = useTransition();
  const { report } = platform;
  const read = useCallback(
    (signal?: AbortSignal) =>
      api.status(signal).then(setStatus, (problem: unknown) => signal?.aborted || report(problem)),
    [api, report],
  );
  // A new version may change when the next mail is sent.
  const version = isTemporary(preferences) ? null : (preferences.updated_at ?? preferences.id);
  useEffect(() => {
    if (version === null) return undefined;
    const controller = new AbortController();
    void read(controller.signal);
    return () => controller.abort();
  }, [read, version]);
  const attempt = async (act: () => Promise<unknown>) => {
    try {
      await act();
    } catch (problem) {
      report(problem);
      callbacks.onFailure(problem);
    }
  };
  return {
    status,
    isSending,
    sendTest: () =>
      startSending(() =>
        attempt(async () => {
          await api.sendTest();
          callbacks.onTestSent();
        }),
      ),
    isAllowing,
    allowAddress: () =>
      startAllowing(() =>
        attempt(async () => {
          await api.allowAddress();
          await read();
        }),
      ),
  };
}
