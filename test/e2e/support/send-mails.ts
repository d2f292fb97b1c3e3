import { expect } from '@playwright/test';
import type { Stage } from './stage.ts';

/** Sends the notification mails that are due until then. Default: within three minutes. */
export async function sendMails({ supabase }: Stage, dueBeforeMs = Date.now() + 180_000): Promise<void> {
  const response = await supabase.fetch(`${supabase.url}/functions/v1/notification-mails`, {
    method: 'POST',
    headers: { apikey: supabase.serviceRoleKey, authorization: `Bearer ${supabase.serviceRoleKey}` },
    body: JSON.stringify({ due_before: new Date(dueBeforeMs).toISOString() }),
  });
  expect(response.status).toBe(200);
}
