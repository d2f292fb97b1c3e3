import { useEffect, useState, useTransition } from 'react';
import {
  nullish,
  number,
  object,
  oneOf,
  string,
  type TypeOf,
} from 'supabase-protocol-clients/platform/schema';
import { useClients, useRest } from '../../../shared/clients/clients-context.ts';
import { isTemporary, type Preferences } from '../preferences.ts';

const mailStatus = object({
  address: nullish(string),
  obstacle: nullish(oneOf(['account', 'unconfirmed', 'suppressed'])),
  suppression_reason: nullish(oneOf(['bounce', 'complaint'])),
  /** Unread notifications that the next mail carries. */
  waiting: number,
  next_at: nullish(string),
});

/** The state of mail delivery under the email settings, named as the columns of `mail_status`. */
export type MailStatus = TypeOf<typeof mailStatus>;

export interface UseMailStatusResult {
  /** null: not known, or a project without mail. */
  readonly status: MailStatus | null;
  readonly isSending: boolean;
  readonly sendTest: () => void;
  readonly isAllowing: boolean;
  /** Sends mail to a suppressed address again. */
  readonly allowAddress: () => void;
}

export interface MailCallbacks {
  readonly onTestSent: () => void;
  /** @param problem a {@link RestError}: `rate-limited` for a second test mail within a minute. */
  readonly onFailure: (problem: unknown) => void;
}

interface MailResponse {
  /** The version of the preferences that it was read for; null to read it again. */
  readonly version: string | null;
  readonly status: MailStatus;
}

const readStatus = async (rest: ReturnType<typeof useRest>, signal: AbortSignal): Promise<MailStatus> =>
  mailStatus(await rest.rpc('mail_status').execute({ signal }));

/** Reads the status again after each saved change of the preferences. */
export function useMailStatus(
  preferences: Preferences,
  { onTestSent, onFailure }: MailCallbacks,
): UseMailStatusResult {
  const { report } = useClients().platform;
  const rest = useRest();
  const [response, setResponse] = useState<MailResponse | null>(null);
  // A new version may change when the next mail is sent.
  const version = preferences.updated_at ?? preferences.id;
  const isCurrent = response?.version === version;
  useEffect(() => {
    if (isCurrent) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    readStatus(rest, signal).then(
      (status) => setResponse({ version, status }),
      (problem: unknown) => {
        if (!signal.aborted) report(problem);
      },
    );
    return () => controller.abort();
  }, [isCurrent, report, rest, version]);
  const readAgain = () => setResponse((shown) => shown && { ...shown, version: null });
  const [isSending, startSending] = useTransition();
  const [isAllowing, startAllowing] = useTransition();
  const attempt = async (request: PromiseLike<unknown>, onDone: () => void) => {
    try {
      await request;
      onDone();
    } catch (failure) {
      report(failure);
      onFailure(failure);
    }
  };
  return {
    status: isTemporary(preferences) ? null : (response?.status ?? null),
    isSending,
    sendTest: () => startSending(() => attempt(rest.rpc('send_test_mail'), onTestSent)),
    isAllowing,
    allowAddress: () => startAllowing(() => attempt(rest.rpc('allow_mail_address'), readAgain)),
  };
}
