import ky from 'ky';
import type { Database } from '../../src/inbox/database.types.ts';
import type { NotificationContent } from '../../src/inbox/features/notifications/model/notification.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRestClient } from '../../src/rest-client/index.ts';

/** A failure that its message explains. */
export class NotifyError extends Error {}

/** A project, and the key that may write in the name of any user. */
export interface ServiceAccess {
  readonly apiUrl: string;
  readonly serviceRoleKey: string;
}

export interface Account {
  readonly id: string;
  readonly name: string;
}

const rowsPerRequest = 100;

/**
 * Sends notifications as a service in the name of the sender: neither the limits of users nor their kinds apply. Those of the kind
 * `system` have no sender.
 *
 * @throws {RestError} if the project refuses them or cannot be reached.
 */
export async function sendNotifications(
  { apiUrl, serviceRoleKey }: ServiceAccess,
  { recipientId, sender }: { readonly recipientId: string; readonly sender: Account },
  contents: readonly NotificationContent[],
): Promise<void> {
  const rest = createRestClient<Database>({
    url: apiUrl,
    apiKey: serviceRoleKey,
    platform: createPlatform(),
    getAccessToken: () => Promise.resolve(serviceRoleKey),
  });
  const metadata = { actor_id: sender.id, actor_name: sender.name };
  for (let sent = 0; sent < contents.length; sent += rowsPerRequest) {
    const rows = contents.slice(sent, sent + rowsPerRequest).map((content) =>
      content.type === 'system'
        ? { recipient_id: recipientId, sender_id: null, content: JSON.stringify(content) }
        : {
            recipient_id: recipientId,
            sender_id: sender.id,
            content: JSON.stringify({ ...content, metadata }),
          },
    );
    await rest.from('notifications').insert(rows).execute();
  }
}

/** @throws {NotifyError} if no account has the address. @throws {TypeError} if the project cannot be reached. */
export async function findAccount(
  { apiUrl, serviceRoleKey }: ServiceAccess,
  email: string,
): Promise<Account> {
  const response = await ky(`${apiUrl}/auth/v1/admin/users?per_page=1000`, {
    throwHttpErrors: false,
    headers: { apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` },
  });
  if (!response.ok)
    throw new NotifyError(`The auth service responded with ${response.status}: ${await response.text()}`);
  const { users } = await response.json<{
    users: { id: string; email?: string; user_metadata?: { name?: string } }[];
  }>();
  const found = users.find((user) => user.email?.toLowerCase() === email.toLowerCase());
  if (!found) throw new NotifyError(`No account has the address ${email}`);
  return { id: found.id, name: found.user_metadata?.name ?? email.split('@')[0] ?? email };
}
