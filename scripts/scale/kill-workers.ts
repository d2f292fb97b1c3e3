import type { ChildProcess } from 'node:child_process';
import type { Client } from 'pg';
import type { ScaleDatabase } from './scale-database.ts';
import { queueDigests } from './queue-digests.ts';
import { startMailSink } from './mail-sink.ts';
import type { MailSink } from './mail-sink.ts';
import { startWorker } from './start-worker.ts';

/** Points of a run at which a worker is killed: the first four by itself, the others by the mail server. */
const steps = [
  'before the claim',
  'after the claim',
  'before the acknowledgment',
  'after the acknowledgment',
  'before the message',
  'after the message',
] as const;
type Step = (typeof steps)[number];

const workerCount = 20;
const killsPerWorker = 2;
/** A mail dies after five attempts, of which a kill may cost one. */
const rounds = 3;
const failingShare = 0.05;

export interface Kills {
  readonly kills: number;
  /** Mails that were sent more than once. */
  readonly duplicates: number;
  readonly seconds: number;
  /** Descriptions of the faults; empty without any. */
  readonly problems: readonly string[];
}

interface Plan {
  readonly step: Step;
  readonly occurrence: number;
}

/**
 * 20 processes send `mails` digests at once. SIGKILL ends each of them twice a round, at every step in turn, and one in twenty
 * acknowledgments fails, half of these after the database has executed it. The leases of killed workers end after each round.
 */
export async function killWorkers(
  database: ScaleDatabase,
  connect: () => Promise<Client>,
  mails: number,
): Promise<Kills> {
  await queueDigests(database, mails);
  const client = await connect();
  const plans = new Map<string, Plan>();
  const processes = new Map<string, ChildProcess>();
  const sink = await startMailSink({
    reach: (worker, step, occurrence) => {
      const plan = plans.get(worker);
      if (plan?.step !== step || plan.occurrence !== occurrence) return true;
      processes.get(worker)?.kill('SIGKILL');
      return false;
    },
  });
  let started = 0;
  const killed = new Set<string>();
  const run = async (plan: Plan | null) => {
    started += 1;
    const name = `worker-${started}`;
    if (plan) plans.set(name, plan);
    const worker = startWorker(client, sink.port, {
      SMTP_USER: name,
      SMTP_PASS: 'secret',
      FAILING_SHARE: String(failingShare),
      ...(plan && { KILL_AT: plan.step, KILL_OCCURRENCE: String(plan.occurrence) }),
    });
    processes.set(name, worker.process);
    if ((await worker.ended) === null) killed.add(name);
  };
  const startedMs = performance.now();
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const kills = round === rounds ? 0 : killsPerWorker;
      await Promise.all(
        Array.from({ length: workerCount }, async (_, slot) => {
          for (let kill = 0; kill < kills; kill += 1) await run(planOf(slot, round, kill));
          await run(null);
        }),
      );
      await database.exec(
        `update private.notification_mails set lease_until = now() where state = 'sending'`,
      );
    }
    return {
      kills: killed.size,
      duplicates: [...sink.copies.values()].filter((workers) => workers.length > 1).length,
      seconds: (performance.now() - startedMs) / 1000,
      problems: await findProblems(database, sink, mails, killed),
    };
  } finally {
    await client.end();
    await sink.close();
  }
}

/** Every step is reached by the workers of a round, at once or in the middle of their batches. */
function planOf(slot: number, round: number, kill: number): Plan {
  const step = steps[(slot + round + kill * 3) % steps.length] ?? steps[0];
  const isOfRun = step.endsWith('claim');
  return { step, occurrence: isOfRun ? 1 + kill : 1 + ((slot * 7 + kill) % 40) };
}

async function findProblems(
  database: ScaleDatabase,
  { copies }: MailSink,
  mails: number,
  killed: ReadonlySet<string>,
): Promise<readonly string[]> {
  const open = await database.query<{ state: string; count: number }>(
    `select state, count(*)::integer as count from private.notification_mails where state <> 'sent' group by 1`,
  );
  const unexplained = [...copies.values()].filter((workers) =>
    workers.slice(0, -1).some((worker) => !killed.has(worker)),
  );
  return [
    ...open.map(({ state, count }) => `${count} mails are ${state}.`),
    ...(copies.size === mails ? [] : [`${mails - copies.size} of ${mails} mails never left.`]),
    ...(unexplained.length === 0
      ? []
      : [`${unexplained.length} mails left again although no kill lost their acknowledgment.`]),
    ...(killed.size >= workerCount ? [] : [`Only ${killed.size} workers were killed.`]),
  ];
}
