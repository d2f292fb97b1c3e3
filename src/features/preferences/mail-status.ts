import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import * as z from 'zod/mini';
import type { Database } from '../../database.types.ts';
import type { RestClient } from '../../rest-client/index.ts';
import { useClients, useDataClients, useUser } from '../../shared/clients/clients-context.ts';
import { isTemporary } from './preferences.ts';
import type { Preferences } from './preferences.ts';

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
  status(): Promise<MailStatus>;
  /** @throws {RestError} `rate-limited` for a second one within a minute. */
  sendTest(): Promise<void>;
  /** Sends mail to a suppressed address again. */
  allowAddress(): Promise<void>;
}

export function createMailApi(rest: RestClient<Database>): MailApi {
  return {
    status: async () => statusSchema.parse(await rest.rpc('mail_status').execute()),
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
  const { rest } = useDataClients();
  const userId = useUser()?.id ?? '';
  const queryClient = useQueryClient();
  const api = createMailApi(rest);
  const queryKey = ['mail-status', userId];
  const query = useQuery({
    queryKey: [...queryKey, preferences.updated_at],
    queryFn: api.status,
    enabled: !isTemporary(preferences),
    retry: false,
    placeholderData: (earlier) => earlier,
  });
  const onError = (problem: unknown) => {
    platform.report(problem);
    callbacks.onFailure(problem);
  };
  const test = useMutation({ mutationFn: api.sendTest, onSuccess: callbacks.onTestSent, onError });
  const allow = useMutation({
    mutationFn: api.allowAddress,
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
    onError,
  });
  return {
    status: query.data ?? null,
    isSending: test.isPending,
    sendTest: () => test.mutate(),
    isAllowing: allow.isPending,
    allowAddress: () => allow.mutate(),
  };
}
