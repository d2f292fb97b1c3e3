/**
 * `npm run notify -- --to ada@example.com --kind mention [--burst 100] [--text "…"] [--from grace@example.com]` `npm run
 * notify -- --preview …`: prints the outcome that the notification would have, and its texts in each language; sends nothing.
 * `npm run notify -- --mail-now`: mails everything that is queued at once, without waiting for its time.
 *
 * Sends notifications to the project of `npm start`, as a service in the name of another user: so neither the limits of
 * users nor their kinds apply.
 */
import { parseArgs } from 'node:util';
import { createSender, type Message, type MessageContent } from 'inbox-sender';
import ky from 'ky';
import { createTokenKeys } from 'local-supabase';
import { notificationKinds } from '../src/inbox/features/notifications/model/notification.ts';
import type {
  NotificationContent,
  NotificationKind,
} from '../src/inbox/features/notifications/model/notification.ts';
import { accounts, localProject } from './local-project.ts';
import { findAccount, NotifyError, sendNotifications } from './notify/send-notifications.ts';

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
const usage = [
  'npm run notify -- --to ada@example.com --kind mention [--burst 100] [--text "…"] [--from grace@example.com]',
  'npm run notify -- --preview --to ada@example.com --kind mention',
  'npm run notify -- --mail-now',
  `--kind must be one of ${notificationKinds.join(', ')}.`,
].join('\n');
const LONGEST_PERIOD_MS = 8 * 86_400_000;

try {
  await notify();
} catch (problem) {
  if (isUnknownOption(problem)) {
    console.error(`${problem.message}\n${usage}`);
    process.exit(1);
  }
  const isDown = problem instanceof TypeError && problem.message === 'fetch failed';
  if (!isDown && !(problem instanceof NotifyError)) throw problem;
  console.error(isDown ? `Nothing responds at ${apiUrl()}. Start it: npm start` : problem.message);
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
      preview: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const { to, kind, text } = values;
  const burst = Number(values.burst);
  if (!isKind(kind)) throw new NotifyError(`--kind must be one of ${notificationKinds.join(', ')}`);
  if (!Number.isInteger(burst) || burst < 1)
    throw new NotifyError('--burst must be a whole number, 1 or more');
  const from = values.from ?? accounts.find((account) => account !== to) ?? accounts[0];
  const { serviceRoleKey } = await createTokenKeys();
  if (values['mail-now']) return mailNow(serviceRoleKey);
  const project = { apiUrl: apiUrl(), serviceRoleKey };
  const recipient = await findAccount(project, to);
  const sender = await findAccount(project, from);
  if (values.preview)
    return preview(serviceRoleKey, {
      recipients: [recipient.id],
      sender: { userId: sender.id },
      ...messageOf(createContent(kind, text, 1)),
    });
  const contents = Array.from({ length: burst }, (_, index) => createContent(kind, text, index + 1));
  await sendNotifications(project, { recipientId: recipient.id, sender }, contents);
  console.log(`${from} sent ${burst} ${burst === 1 ? 'notification' : 'notifications'} (${kind}) to ${to}.`);
}

async function preview(secretKey: string, message: Message): Promise<void> {
  const { deliveries, previews } = await createSender({ url: apiUrl(), secretKey }).dryRun(message);
  for (const { outcome, channels, reason } of deliveries)
    console.log([outcome, reason, channels?.join(', ')].filter(Boolean).join(': '));
  for (const [language, { row, mail, push }] of Object.entries(previews))
    console.log(
      [
        `\n[${language}] row:  ${row.title}${row.text === null ? '' : `\n${row.text}`}`,
        `[${language}] push: ${push.title}\n${push.body}`,
        `[${language}] mail: ${mail.subject}\n${mail.text}`,
      ].join('\n\n'),
    );
}

function messageOf({
  type,
  entity_type: entityType,
  entity_id: id,
  data,
}: NotificationContent): MessageContent {
  const { text, entity_name: name } = data ?? {};
  return {
    kind: type,
    ...(typeof text === 'string' && { text }),
    ...(entityType !== undefined &&
      id !== undefined && { entity: { type: entityType, id, ...(typeof name === 'string' && { name }) } }),
  };
}

/** Calls the mail worker for everything that is due within the longest period, a week. */
async function mailNow(serviceKey: string): Promise<void> {
  const response = await ky.post(`${apiUrl()}/functions/v1/notification-mails`, {
    throwHttpErrors: false,
    timeout: false,
    headers: {
      apikey: serviceKey,
      authorization: `Bearer ${serviceKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ due_before: new Date(Date.now() + LONGEST_PERIOD_MS).toISOString() }),
  });
  if (!response.ok)
    throw new NotifyError(`notification-mails responded with ${response.status}: ${await response.text()}`);
  const { sent, failed, skipped } = await response.json<{ sent: number; failed: number; skipped: number }>();
  console.log(`Mails sent: ${sent}, failed: ${failed}, skipped: ${skipped}.`);
}

function createContent(
  kind: NotificationKind,
  text: string | undefined,
  number: number,
): NotificationContent {
  const samples = SAMPLES[kind] ?? [];
  const sample = text ?? samples[number % samples.length];
  const name = NAMES[number % NAMES.length];
  const volume = Math.floor(number / NAMES.length);
  return {
    type: kind,
    entity_type: 'document',
    entity_id: `doc-${number}`,
    data: {
      entity_name: volume > 0 ? `${name} ${volume + 1}` : name,
      ...(sample === undefined ? {} : { text: sample }),
    },
  };
}

function isKind(text: string): text is NotificationKind {
  return notificationKinds.some((kind) => kind === text);
}

function apiUrl(): string {
  return `http://127.0.0.1:${localProject.apiPort}`;
}

function isUnknownOption(problem: unknown): problem is Error {
  return problem instanceof Error && 'code' in problem && String(problem.code).startsWith('ERR_PARSE_ARGS_');
}
