import type { IncomingMessage } from 'node:http';
import type { Connect, Plugin } from 'vite';
import type { NotificationContent } from '../../src/inbox/features/notifications/model/notification.ts';
import { accounts } from '../local-project.ts';
import { isSameOriginPost } from '../page-headers.ts';
import { findAccount, sendNotifications } from './send-notifications.ts';
import type { ServiceAccess } from './send-notifications.ts';

/** Where the development server takes requests for a sample. */
export const samplePath = '/dev/sample-notification';

/** One per kind that needs no invitation, about the documents of `supabase/seed.sql`. */
const samples: readonly NotificationContent[] = [
  createSample('mention', 'doc-17', 'Compiler notes', 'Could you check the section on loops before noon?'),
  createSample('comment', 'doc-9', 'Analytical Engine', 'I would put the table first.'),
  createSample('edit', 'doc-17', 'Compiler notes', 'Shortened the introduction.'),
  { type: 'system', data: { text: 'Maintenance on Sunday from 02:00 to 02:30 UTC.' } },
];

/**
 * Sends the next sample to the user whose access token the request carries, from a seeded account: so that the page of
 * `npm start` can show a notification without a key of the service.
 *
 * Responds with 204; 403 for another origin, 405 for another method, 401 without a valid token, 502 if the project fails.
 */
export function sampleSender(project: ServiceAccess): Plugin {
  let sentCount = 0;
  const handleRequest = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== 'POST') return 405;
    if (!isSameOriginPost(request.headers)) return 403;
    const user = await readUser(project, request.headers.authorization);
    if (!user) return 401;
    const sample = samples[sentCount % samples.length];
    const senderEmail = accounts.find((email) => email !== user.email) ?? accounts[0];
    const sender = await findAccount(project, senderEmail);
    await sendNotifications(project, { recipientId: user.id, sender }, sample ? [sample] : []);
    sentCount += 1;
    return 204;
  };
  return {
    name: 'sample-sender',
    apply: 'serve',
    configureServer({ middlewares, config }) {
      const handle: Connect.NextHandleFunction = (request, response) => {
        handleRequest(request).then(
          (status) => response.writeHead(status).end(),
          (problem: unknown) => {
            config.logger.error(`No sample was sent: ${String(problem)}`);
            response.writeHead(502).end();
          },
        );
      };
      middlewares.use(samplePath, handle);
    },
  };
}

function createSample(
  type: NotificationContent['type'],
  entityId: string,
  entityName: string,
  text: string,
): NotificationContent {
  return { type, entity_type: 'document', entity_id: entityId, data: { entity_name: entityName, text } };
}

async function readUser(
  { apiUrl, serviceRoleKey }: ServiceAccess,
  authorization: string | undefined,
): Promise<{ id: string; email?: string } | null> {
  if (authorization === undefined) return null;
  const response = await fetch(`${apiUrl}/auth/v1/user`, {
    headers: { apikey: serviceRoleKey, authorization },
  });
  return response.ok ? ((await response.json()) as { id: string; email?: string }) : null;
}
