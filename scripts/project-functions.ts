import type { LocalSupabaseOptions } from 'local-supabase';

type Handlers = NonNullable<LocalSupabaseOptions['functions']>;
type Handler = Handlers[string];

/** Loads the module with the first request: most tests call no function. */
const lazily =
  (load: () => Promise<{ readonly default: Handler }>): Handler =>
  async (request, runtime) =>
    (await load()).default(request, runtime);

/**
 * The functions of `supabase/functions` in this process, with its clock and mailbox. Without them the local Supabase runs
 * the same modules in Deno.
 */
export const projectFunctions: Handlers = {
  'mail-events': lazily(() => import('../supabase/functions/mail-events/index.ts')),
  'notification-mails': lazily(() => import('../supabase/functions/notification-mails/index.ts')),
  'notification-push': lazily(() => import('../supabase/functions/notification-push/index.ts')),
  'notification-webhooks': lazily(() => import('../supabase/functions/notification-webhooks/index.ts')),
  unsubscribe: lazily(() => import('../supabase/functions/unsubscribe/index.ts')),
};
