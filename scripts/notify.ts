/**
 * `npm run notify -- --to ada@example.com --kind mention [--burst 100] [--text "…"] [--from grace@example.com]`
 * `npm run notify -- --mail-now`: mails everything that is queued at once, without waiting for its time.
 *
 * Sends notifications to the project of `npm start`, as a service in the name of another user: so neither the limits of
 * users nor their kinds apply.
 */
import { parseArgs } from 'node:util';
import { createTokenKeys } from '../local-supabase/keys/keys.ts';
import type { Database } from '../src/database.types.ts';
import { notificationKinds } from '../src/features/notifications/model/notification.ts';
import type {
  NotificationContent,
  NotificationKind,
} from '../src/features/notifications/model/notification.ts';
import { createBrowserPlatform } from '../src/platform/browser-platform.ts';
import { createRestClient } from '../src/rest-client/index.ts';
import { accounts, localProject } from './local-project.ts';

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  mention: [
    'Could you have a look at this before noon?',
    'Does this match your notes?',
    'What do you think?',
  ],
  comment: ['This reads well now.', 'I would put the table first.', 'The last figure needs a source.'],
  edit: ['Shortened the introduction.', 'New section on costs.'],
  system: ['Maintenance on Sunday from 02:00 to 02:30 UTC.'],
};
const NAMES = [
  'Compiler notes',
  'Analytical Engine',
  'Plan for the spring',
  'Meeting of October',
  'Reading list',
];
const AT_ONCE = 100;
const LONGEST_PERIOD_MS = 8 * 86_400_000;

/** A failure that the message explains. */
class NotifyError extends Error {}

try {
  await notify();
} catch (problem) {
  const isDown = problem instanceof TypeError && problem.message === 'fetch failed';
  if (!isDown && !(problem instanceof NotifyError)) throw problem;
  console.error(isDown ? `Nothing answers at ${apiUrl()}; is it running? npm start` : problem.message);
  process.exit(1);
}

async function notify(): Promise<void> {
  const { values } = parseArgs({
    options: {
      to: { type: 'string', default: accounts[0] },
      from: { type: 'string' },
      kind: { type: 'string', default: 'mention' },
      text: { type: 'string' },
      burst: { type: 'string', default: '1' },
      'mail-now': { type: 'boolean', default: false },
    },
  });
  const { to, kind, text } = values;
  const burst = Number(values.burst);
  if (!isKind(kind)) throw new NotifyError(`--kind is one of ${notificationKinds.join(', ')}`);
  if (!Number.isInteger(burst) || burst < 1) throw new NotifyError('--burst is a number from 1');
  const from = values.from ?? accounts.find((account) => account !== to) ?? accounts[0];
  const keys = await createTokenKeys();
  if (values['mail-now']) return mailNow(keys.serviceRoleKey);
  const recipient = await findUser(to, keys.serviceRoleKey);
  const sender = await findUser(from, keys.serviceRoleKey);
  const rest = createRestClient<Database>({
    url: apiUrl(),
    apiKey: keys.serviceRoleKey,
    platform: createBrowserPlatform(),
    getAccessToken: () => Promise.resolve(keys.serviceRoleKey),
  });
  const isSystem = kind === 'system';
  const metadata = isSystem ? {} : { actor_id: sender.id, actor_name: sender.name };
  for (let sent = 0; sent < burst; sent += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, burst - sent) }, (_, index) => ({
      recipient_id: recipient.id,
      sender_id: isSystem ? null : sender.id,
      content: JSON.stringify({ ...createContent(kind, text, sent + index + 1), metadata }),
    }));
    await rest.from('notifications').insert(rows).execute();
  }
  console.log(`${from} sent ${burst} ${burst === 1 ? 'notification' : 'notifications'} (${kind}) to ${to}.`);
}

/** Calls the mail worker for everything that is due within the longest period, a week. */
async function mailNow(serviceKey: string): Promise<void> {
  const response = await fetch(`${apiUrl()}/functions/v1/notification-mails`, {
    method: 'POST',
    headers: {
      apikey: serviceKey,
      authorization: `Bearer ${serviceKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ due_before: new Date(Date.now() + LONGEST_PERIOD_MS).toISOString() }),
  });
  if (!response.ok)
    throw new NotifyError(`notification-mails answered ${response.status}: ${await response.text()}`);
  const { sent, failed, skipped } = (await response.json()) as {
    sent: number;
    failed: number;
    skipped: number;
  };
  console.log(`Mails sent: ${sent}, failed: ${failed}, skipped: ${skipped}.`);
}

function createContent(
  kind: NotificationKind,
  text: string | undefined,
  number: number,
): NotificationContent {
  const samples = SAMPLES[kind] ?? [];
  const sample = text ?? samples[number % samples.length];
  return {
    type: kind,
    entity_type: 'document',
    entity_id: `doc-${number}`,
    data: { entity_name: NAMES[number % NAMES.length], ...(sample === undefined ? {} : { text: sample }) },
  };
}

function isKind(text: string): text is NotificationKind {
  return notificationKinds.some((kind) => kind === text);
}

async function findUser(email: string, serviceKey: string): Promise<{ id: string; name: string }> {
  const answer = await get('/auth/v1/admin/users?per_page=1000', serviceKey);
  const { users } = (await answer.json()) as {
    users: { id: string; email?: string; user_metadata?: { name?: string } }[];
  };
  const found = users.find((user) => user.email?.toLowerCase() === email.toLowerCase());
  if (!found) throw new NotifyError(`No account has the address ${email}`);
  return { id: found.id, name: found.user_metadata?.name ?? email.split('@')[0] ?? email };
}

async function get(path: string, key: string): Promise<Response> {
  const response = await fetch(apiUrl() + path, { headers: { apikey: key, authorization: `Bearer ${key}` } });
  if (!response.ok)
    throw new NotifyError(`${path.split('?')[0]} answered ${response.status}: ${await response.text()}`);
  return response;
}

function apiUrl(): string {
  return `http://127.0.0.1:${localProject.apiPort}`;
}
