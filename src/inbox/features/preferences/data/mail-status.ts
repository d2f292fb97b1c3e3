import { useCallback, useEffect, useState, useTransition } from 'react';
import type { Database } from '../../../database.types.ts';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import { useClients, useRest } from '../../../shared/clients/clients-context.ts';
import { isTemporary } from '../preferences.ts';
import type { Preferences } from '../preferences.ts';

const obstacles = ['account', 'unconfirmed', 'suppressed'] as const;
const reasons = ['bounce', 'complaint'] as const;

/** The state of mail delivery under the email settings, named as the columns of `mail_status`. */
export interface MailStatus {
  readonly address: string | null;
  readonly obstacle: (typeof obstacles)[number] | null;
  readonly suppression_reason: (typeof reasons)[number] | null;
  /** Unread notifications that the next mail carries. */
  readonly waiting: number;
  readonly next_at: string | null;
}

/**
 * Checked by hand: a schema library would be a third of the page's code.
 *
 * @throws {TypeError} if a field is missing or has another type.
 */
function parseStatus(answer: unknown): MailStatus {
  const fields: Readonly<Record<string, unknown>> = Object(answer);
  const fail = (name: string): never => {
    throw new TypeError(`Not an answer of mail_status: ${name}`);
  };
  const textOrNull = (name: string) => {
    const value = fields[name];
    return value === null || typeof value === 'string' ? value : fail(name);
  };
  const oneOf = <Value extends string>(name: string, values: readonly Value[]) =>
    fields[name] === null ? null : (values.find((value) => value === fields[name]) ?? fail(name));
  const { waiting } = fields;
  return {
    address: textOrNull('address'),
    obstacle: oneOf('obstacle', obstacles),
    suppression_reason: oneOf('suppression_reason', reasons),
    waiting: typeof waiting === 'number' ? waiting : fail('waiting'),
    next_at: textOrNull('next_at'),
  };
}

/** The requests about the delivery of emails. */
export interface MailApi {
  status(signal?: AbortSignal): Promise<MailStatus>;
  /** @throws {RestError} `rate-limited` for a second one within a minute. */
  sendTest(): Promise<void>;
  /** Sends mail to a suppressed address again. */
  allowAddress(): Promise<void>;
}

export function createMailApi(rest: RestClient<Database>): MailApi {
  return {
    status: async (signal) => parseStatus(await rest.rpc('mail_status').execute({ signal })),
    async sendTest() {
      await rest.rpc('send_test_mail').execute();
    },
    async allowAddress() {
      await rest.rpc('allow_mail_address').execute();
    },
  };
}

export interface UseMailStatusResult {
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
export function useMailStatus(preferences: Preferences, callbacks: MailCallbacks): UseMailStatusResult {
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
