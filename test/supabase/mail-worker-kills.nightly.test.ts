import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ada, useLocalSupabase } from '../support/local-supabase.ts';

/** Points of a worker's run at which it is killed, as the servers that it talks to see them. */
type Step =
  | 'before the claim'
  | 'after the claim'
  | 'after rendering'
  | 'while the mail is handed over'
  | 'before the acknowledgment'
  | 'after the acknowledgment';

/** Mails of each test: `MAILS=500`, the maximum of one run of a worker, sends 10,000 through the rows of the providers' tables. */
const mailCount = Number(process.env['MAILS'] ?? 12);
// After the database's clock, because mails are due from then on; before November 2032, when the legacy API keys
// expire.
const startMs = Date.parse('2032-01-16T10:00:00Z');
// The timer of the embedded service would send the mails of killed workers, whose leases have ended.
const supabase = useLocalSupabase({
  functions: { 'notification-mails': async () => Response.json({ sent: 0, failed: 0, skipped: 0 }) },
});

/** Message-IDs of the mails that the SMTP server took, or idempotency keys at the HTTP provider, one per copy. */
let copies: string[] = [];
let worker: ChildProcess | null = null;
/** When the worker is killed; null: never. */
let kill: { readonly step: Step; readonly occurrence: number } | null = null;
let seen = 0;
let isKilled = false;

/**
 * Kills the worker if it is its time. From then on the servers do nothing and send no response, as for a process that is
 * gone.
 */
function reach(step: Step): boolean {
  if (!isKilled && kill?.step === step) {
    seen += 1;
    if (seen === kill.occurrence) {
      isKilled = true;
      worker?.kill('SIGKILL');
    }
  }
  return !isKilled;
}

const dataService = createServer((request, response) => {
  const passing = pass(request, response).finally(() => inFlight.delete(passing));
  inFlight.add(passing);
});
/** Requests without a response of the data service: it finishes them although their worker is gone. */
const inFlight = new Set<Promise<void>>();

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isClaim = request.url?.endsWith('claim_notification_mails') ?? false;
  const body = await text(request);
  if (!reach(isClaim ? 'before the claim' : 'before the acknowledgment')) return;
  const forwarded = await supabase().fetch(`${supabase().url}${request.url ?? ''}`, {
    method: 'POST',
    headers: {
      apikey: supabase().serviceRoleKey,
      authorization: request.headers.authorization ?? '',
      'content-type': 'application/json',
    },
    body,
  });
  if (!reach(isClaim ? 'after the claim' : 'after the acknowledgment')) return;
  response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(await forwarded.text());
}

/** What the provider responds to every mail: a status and a body, or a stage of SMTP and a response; null: it accepts. */
let refusal: string | null = null;

/** The response that refuses at this stage of SMTP; undefined: none. */
function refuseAt(stage: string): Error | undefined {
  const [refused, code, ...text] = refusal?.split(' ') ?? [];
  return refused === stage
    ? Object.assign(new Error(text.join(' ')), { responseCode: Number(code) })
    : undefined;
}

const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onConnect: (_session, done) => done(refuseAt('session')),
  onMailFrom(_address, _session, done) {
    if (reach('after rendering')) done(refuseAt('MAIL'));
  },
  onRcptTo: (_address, _session, done) => done(refuseAt('RCPT')),
  onData(stream, _session, done) {
    void takeMail(stream, done);
  },
});

async function takeMail(stream: Readable, accept: (problem?: Error) => void): Promise<void> {
  // A killed worker leaves its message unfinished.
  const message = await text(stream).catch(() => null);
  if (isKilled || message === null) return;
  const problem = refuseAt('DATA');
  if (problem) return accept(problem);
  copies.push(/^Message-ID: *(<.+>)/im.exec(message)?.[1] ?? '');
  if (reach('while the mail is handed over')) accept();
}
// A killed worker resets its connections.
mailServer.on('error', () => undefined);

/** Resend: each idempotency key is delivered once. */
const provider = createServer((request, response) => {
  void json(request).then(() => {
    const key = String(request.headers['idempotency-key']);
    if (isKilled) return;
    if (refusal !== null) {
      response.writeHead(Number(refusal.slice(0, 3)), { 'retry-after': '3600' }).end(refusal.slice(4));
      return;
    }
    copies.push(key);
    if (reach('while the mail is handed over')) response.writeHead(200).end('{}');
  });
});

const listen = (server: Server | SMTPServer): Promise<number> =>
  new Promise((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port));
  });
let ports = { data: 0, smtp: 0, provider: 0 };

beforeAll(async () => {
  ports = {
    data: await listen(dataService),
    smtp: await listen(mailServer),
    provider: await listen(provider),
  };
});
afterAll(() => {
  dataService.closeAllConnections();
  dataService.close();
  provider.closeAllConnections();
  provider.close();
  mailServer.close(() => undefined);
});

beforeEach(async () => {
  copies = [];
  refusal = null;
  await supabase().database.exec(
    'delete from private.notification_mails; delete from private.suppressed_addresses',
  );
  await supabase().database.query(
    `insert into private.notification_mails (recipient_id, topic, due_at, state)
     select $1, 'test', $2, 'retrying' from generate_series(1, $3)`,
    [ada.id, new Date(startMs).toISOString(), mailCount],
  );
});

async function runWorker(nowMs: number, settings: Readonly<Record<string, string>>): Promise<void> {
  isKilled = false;
  seen = 0;
  const started = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('../support/mail-worker-process.ts', import.meta.url))],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        SUPABASE_URL: `http://127.0.0.1:${ports.data}`,
        SUPABASE_SERVICE_ROLE_KEY: supabase().serviceRoleKey,
        APP_URL: 'http://localhost:5173',
        MAIL_FROM: 'Tidings <notifications@inbox.test>',
        NOW_MS: String(nowMs),
        ...settings,
      },
    },
  );
  worker = started;
  await new Promise((resolve) => {
    started.once('exit', resolve);
  });
  // Unread requests of the killed worker would arrive while the next worker runs.
  dataService.closeAllConnections();
  provider.closeAllConnections();
  await Promise.all(inFlight);
}

/** Ids of the mails whose acknowledgment the database does not have. */
const unacknowledged = async (): Promise<readonly string[]> =>
  (
    await supabase().database.query<{ id: string }>(
      `select id from private.notification_mails where state <> 'sent'`,
    )
  ).map(({ id }) => id);

const endLeases = () =>
  supabase().database.exec(
    `update private.notification_mails set lease_until = now() where state = 'sending'`,
  );

async function killThenFinish(
  step: Step,
  occurrence: number,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly copiesOf: (id: string) => number; readonly lost: ReadonlySet<string> }> {
  kill = { step, occurrence };
  await runWorker(startMs, settings);
  expect(isKilled).toBe(true);
  const open = await unacknowledged();
  const isCopyOf = (copy: string, id: string) => copy.includes(id);
  const lost = new Set(open.filter((id) => copies.some((copy) => isCopyOf(copy, id))));
  kill = null;
  await endLeases();
  // A run ends after a time, which a busy machine reaches before the last mail: the next one continues.
  for (let run = 0; run < 5 && (await unacknowledged()).length > 0; run += 1)
    await runWorker(startMs, settings);
  expect(await unacknowledged()).toEqual([]);
  return { copiesOf: (id) => copies.filter((copy) => isCopyOf(copy, id)).length, lost };
}

/** A worker sends five mails at once, which limits how many are lost between handover and acknowledgment. */
const atOnce = 5;

/** Step, occurrence, and how many mails at least and at most left without an acknowledgment. */
const steps: readonly (readonly [Step, number, number, number])[] = [
  ['before the claim', 1, 0, 0],
  ['after the claim', 1, 0, 0],
  ['after rendering', 1, 0, atOnce],
  ['after rendering', 8, 0, atOnce],
  ['while the mail is handed over', 1, 1, atOnce],
  ['while the mail is handed over', 8, 1, atOnce],
  ['before the acknowledgment', 1, 1, atOnce],
  ['before the acknowledgment', 8, 1, atOnce],
  ['after the acknowledgment', 1, 0, atOnce],
  ['after the acknowledgment', 8, 0, atOnce],
];

const transports = {
  SMTP: () => ({ SMTP_HOST: '127.0.0.1', SMTP_PORT: String(ports.smtp) }),
  Resend: () => ({ RESEND_API_KEY: 're_secret', RESEND_URL: `http://127.0.0.1:${ports.provider}` }),
};

describe.each(Object.entries(transports))(
  'a worker that sends by %s and is killed',
  (transport, settings) => {
    const reachable = steps.filter(([step]) => transport === 'SMTP' || step !== 'after rendering');
    it.each(reachable)(
      'no mail is lost when a worker is killed %s (%i)',
      async (step, occurrence, minLost, maxLost) => {
        const { copiesOf, lost } = await killThenFinish(step, occurrence, settings());
        const ids = (
          await supabase().database.query<{ id: string }>('select id from private.notification_mails')
        ).map(({ id }) => id);
        expect(ids).toHaveLength(mailCount);
        // Only mails that left and were not acknowledged are sent twice, with the same Message-ID or idempotency key.
        for (const id of ids) expect(copiesOf(id)).toBe(lost.has(id) ? 2 : 1);
        expect(new Set(copies).size).toBe(mailCount);
        expect(lost.size).toBeGreaterThanOrEqual(minLost);
        expect(lost.size).toBeLessThanOrEqual(maxLost);
      },
    );
  },
);

/** The first refused mail suppresses the address: the later ones are skipped. */
const endStates: Readonly<Record<'sent' | 'accepted before' | 'dead' | 'suppressed', readonly string[]>> = {
  sent: ['sent'],
  'accepted before': ['sent'],
  dead: ['dead'],
  suppressed: ['dead', 'skipped'],
};

/** A response for each rule of `docs/inbox/provider-responses.md`, and the final state of its mails. */
const responses: readonly (readonly [keyof typeof transports, string, keyof typeof endStates])[] = [
  ['Resend', '409 {"name":"invalid_idempotent_request"}', 'accepted before'],
  ['Resend', '409 {"name":"concurrent_idempotent_requests"}', 'sent'],
  ['Resend', '400 {"message":"API key is invalid"}', 'sent'],
  ['Resend', '422 {"message":"Invalid `to` field"}', 'dead'],
  ['Resend', '403 {"message":"The domain is not verified"}', 'sent'],
  ['Resend', '404 {"name":"not_found"}', 'sent'],
  ['Resend', '429 {"name":"daily_quota_exceeded"}', 'sent'],
  ['Resend', '429 {"name":"rate_limit_exceeded"}', 'sent'],
  ['Resend', '500 {"name":"internal_server_error"}', 'sent'],
  ['Resend', '503 Service Unavailable', 'sent'],
  ['Resend', '418 a teapot', 'sent'],
  ['SMTP', 'session 554 5.7.1 Your address is blocked', 'sent'],
  ['SMTP', 'MAIL 421 4.7.0 Too many messages', 'sent'],
  ['SMTP', 'MAIL 454 4.7.0 Daily quota exceeded', 'sent'],
  ['SMTP', 'MAIL 552 5.3.4 Message size exceeds the limit', 'dead'],
  ['SMTP', 'MAIL 550 5.7.1 Sender not authorized', 'sent'],
  ['SMTP', 'RCPT 550 5.1.1 No such user', 'suppressed'],
  ['SMTP', 'DATA 554 5.6.0 Malformed message', 'dead'],
  ['SMTP', 'RCPT 452 4.2.2 Mailbox full', 'sent'],
  ['SMTP', 'DATA 552 Storage exceeded', 'sent'],
  ['SMTP', 'DATA 550 5.7.26 Unauthenticated email is not accepted', 'sent'],
];
const hourMs = 3_600_000;

describe('a provider that refuses for hours while workers are killed, and then accepts', () => {
  it.each(responses)(
    '%s, %s: each mail is %s',
    async (transport, response, end) => {
      const settings = transports[transport]();
      refusal = response;
      for (const next of [
        { step: 'after the claim', occurrence: 1 },
        { step: 'before the acknowledgment', occurrence: 3 },
      ] as const) {
        kill = next;
        await runWorker(startMs, settings);
        expect(isKilled).toBe(true);
        await endLeases();
      }
      kill = null;
      await runWorker(startMs + 2 * hourMs, settings);
      refusal = null;
      for (const hours of [4, 6, 8]) await runWorker(startMs + hours * hourMs, settings);
      const states = await supabase().database.query<{ state: string }>(
        'select distinct state from private.notification_mails order by state',
      );
      const [suppressed] = await supabase().database.query<{ count: number }>(
        'select count(*)::int as count from private.suppressed_addresses',
      );
      expect(states.filter(({ state }) => !endStates[end].includes(state))).toEqual([]);
      expect(suppressed?.count).toBe(end === 'suppressed' ? 1 : 0);
      expect(new Set(copies).size).toBe(end === 'sent' ? mailCount : 0);
    },
    900_000,
  );
});
