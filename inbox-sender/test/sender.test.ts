import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSender, SenderError, type Message } from 'inbox-sender';
import { beforeEach, describe, expect, it } from 'vitest';
import { ada, grace, useLocalSupabase } from '../../test/support/local-supabase.ts';

const supabase = useLocalSupabase({
  port: 0,
  functionSettings: { 'notification-mails': { verifyJwt: false } },
});
const run = promisify(execFile);

const createTestSender = (fetch: typeof globalThis.fetch = supabase().fetch) =>
  createSender({ url: supabase().url, secretKey: supabase().secretKey, fetch });
const received = async () =>
  (await supabase().database.query<{ content: string }>('select content from notifications')).map(
    ({ content }) => JSON.parse(content) as { data?: { text?: string } },
  );

beforeEach(() => supabase().database.exec('delete from notifications; delete from private.messages'));

it('sends a message with the secret key alone, and returns the outcome of each recipient', async () => {
  const status = await createTestSender().send({
    recipients: [ada.id, '00000000-0000-4000-8000-00000000dead'],
    kind: 'system',
    text: 'Build 7 failed.',
    sender: { userId: grace.id },
  });
  expect(status).toMatchObject({
    state: 'delivered',
    counts: { delivered: 1, suppressed: 0, failed: 0, unknown: 1 },
    deliveries: [
      { recipientId: '00000000-0000-4000-8000-00000000dead', outcome: 'unknown' },
      { recipientId: ada.id, outcome: 'delivered', channels: ['in_app'] },
    ],
  });
  expect(await received()).toMatchObject([
    { type: 'system', metadata: { actor_id: grace.id }, data: { text: 'Build 7 failed.' } },
  ]);
});

it('retries after a lost response, and sends the message once', async () => {
  let requests = 0;
  const sender = createTestSender(async (input, init) => {
    const response = await supabase().fetch(input, init);
    requests += 1;
    if (requests === 1) throw new TypeError('fetch failed');
    return response;
  });
  const status = await sender.send({ recipients: [grace.id], text: 'once' });
  expect(requests).toBe(2);
  expect(status.counts.delivered).toBe(1);
  expect(await received()).toHaveLength(1);
});

it('schedules and cancels a message, and reads the status of one recipient', async () => {
  const sender = createTestSender();
  const sendAt = new Date(Date.now() + 3_600_000);
  const scheduled = await sender.send({ recipients: [grace.id], text: 'later', sendAt });
  expect(scheduled).toMatchObject({ state: 'scheduled', sendAt });
  expect((await sender.cancel(scheduled.id)).state).toBe('canceled');
  const sent = await sender.send({ recipients: [grace.id, ada.id], text: 'mine', idempotencyKey: 'mine' });
  expect(sent.idempotencyKey).toBe('mine');
  const forAda = await sender.status(sent.id, { userId: ada.id });
  expect(forAda.deliveries.map(({ recipientId }) => recipientId)).toEqual([ada.id]);
  const all: string[] = [];
  for await (const { recipientId } of sender.deliveries(sent.id)) all.push(recipientId);
  expect(all).toEqual([grace.id, ada.id]);
});

it('the status contains the state of a recipient’s mail', async () => {
  const sender = createTestSender();
  const { id } = await sender.send({ recipients: [ada.id], kind: 'mention', text: 'Please look.' });
  const mailStates = async () => (await sender.status(id)).deliveries.map(({ mailState }) => mailState);
  expect(await mailStates()).toEqual(['pending']);
  await supabase().database.exec(`update private.notification_mails set state = 'sent', finished_at = now()`);
  expect(await mailStates()).toEqual(['sent']);
});

it('a dry run has the outcome of each recipient and the rendered words, and sends nothing', async () => {
  const { recipientCount, deliveries, previews } = await createTestSender().dryRun({
    recipients: [ada.id],
    kind: 'mention',
    sender: { userId: grace.id },
    entity: { type: 'document', id: '7', name: 'Notes' },
    text: 'Please look.',
  });
  expect(recipientCount).toBe(1);
  expect(deliveries).toEqual([{ recipientId: ada.id, outcome: 'delivered', channels: ['in_app', 'email'] }]);
  expect(previews).toMatchObject({
    de: { row: { title: 'Grace Hopper hat dich in Notes erwähnt', text: 'Please look.' } },
    en: {
      mail: { subject: 'Grace Hopper mentioned you in Notes' },
      push: { title: 'Grace Hopper mentioned you in Notes', body: 'Please look.' },
    },
  });
  expect(await received()).toEqual([]);
});

describe('an error of the sender', () => {
  const failWith = (response: () => Response) => createTestSender(() => Promise.resolve(response()));

  it.each<[string, Message, RegExp]>([
    ['an id', { recipients: ['ada'] }, /^messages\[0\]\.recipients\[0\] is not the id of an account\.$/],
    ['a time', { everyone: true, sendAt: new Date(NaN) }, /sendAt is not a valid Date/],
    ['a field', { everyone: true, title: 'x' } as Message, /^messages\[0\]\.title is unknown/],
  ])('names %s that is wrong', async (_, message, problem) => {
    await expect(createTestSender().send(message)).rejects.toMatchObject({
      code: 'invalid-message',
      message: expect.stringMatching(problem),
    });
  });

  it('distinguishes a wrong key, a missing message, a missing URL and a project without the functions', async () => {
    const { url, fetch, secretKey } = supabase();
    const withoutRights = createSender({ url, secretKey: 'sb_secret_of_another_project', fetch });
    await expect(withoutRights.send({ everyone: true })).rejects.toMatchObject({ code: 'unauthenticated' });
    const missing = createTestSender().status('00000000-0000-4000-8000-00000000dead');
    await expect(missing).rejects.toMatchObject({ code: 'not-found' });
    expect(() => createSender({ url: '', secretKey })).toThrow(SenderError);
    const elsewhere = failWith(() => Response.json({ code: 'PGRST202', message: '…' }, { status: 404 }));
    await expect(elsewhere.send({ everyone: true })).rejects.toMatchObject({ code: 'not-installed' });
  });

  it('ends a wait between attempts when the call is aborted', async () => {
    const abort = new AbortController();
    const sender = failWith(() => {
      setTimeout(() => abort.abort(), 1);
      return new Response('', { status: 503, headers: { 'content-type': 'text/plain' } });
    });
    const sending = sender.send({ everyone: true }, { signal: abort.signal });
    await expect(sending).rejects.toMatchObject({ code: 'aborted' });
  });
});

it('the built package sends from plain Node with ky alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inbox-sender-'));
  const build = fileURLToPath(new URL('../scripts/build.ts', import.meta.url));
  await run(process.execPath, ['--import', 'tsx', build, join(folder, 'node_modules/inbox-sender')]);
  const ky = fileURLToPath(new URL('../../node_modules/ky', import.meta.url));
  await symlink(ky, join(folder, 'node_modules/ky'), 'junction');
  await writeFile(
    join(folder, 'send.mjs'),
    `import { createSender } from 'inbox-sender';
     const [url, secretKey, recipient] = process.argv.slice(2);
     const { counts } = await createSender({ url, secretKey }).send({ recipients: [recipient], text: 'from Node' });
     console.log(JSON.stringify(counts));`,
  );
  const { url, secretKey } = supabase();
  const { stdout } = await run(process.execPath, [join(folder, 'send.mjs'), url, secretKey, grace.id]);
  expect(JSON.parse(stdout)).toEqual({ delivered: 1, suppressed: 0, failed: 0, unknown: 0 });
  await rm(folder, { recursive: true });
});

it('a kind is registered, used and removed, and a wrong one is refused with its field', async () => {
  const sender = createTestSender();
  const kind = { name: 'deployed', labels: { en: 'Deployments' } };
  await sender.registerKind(kind);
  const { counts } = await sender.send({
    recipients: [ada.id],
    kind: 'deployed',
    text: 'Version 7 is live.',
  });
  expect(counts.delivered).toBe(1);
  expect(await sender.removeKind('deployed')).toBe(true);
  expect(await sender.removeKind('deployed')).toBe(false);
  await expect(sender.send({ recipients: [ada.id], kind: 'deployed' })).rejects.toMatchObject({
    code: 'invalid-message',
  });
  await expect(sender.registerKind({ ...kind, callbacks: ['none'] })).rejects.toMatchObject({
    code: 'invalid-kind',
    message: expect.stringContaining('kind.callbacks[0]') as string,
  });
});
