import { expect } from '@playwright/test';
import type { Stage } from './stage.ts';

/** Sends the notification mails that are due until then. Default: within three minutes. */
export async function sendMails({ project, used }: Stage, dueBeforeMs = Date.now() + 180_000): Promise<void> {
  used.add('@functions');
  const { url, serviceRoleKey } = project;
  const response = await fetch(`${url}/functions/v1/notification-mails`, {
    method: 'POST',
    headers: { apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` },
    body: JSON.stringify({ due_before: new Date(dueBeforeMs).toISOString() }),
  });
  expect(response.status).toBe(200);
}
