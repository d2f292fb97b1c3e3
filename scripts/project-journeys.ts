/** `npm run e2e:project`: the browser's journeys on a project that runs elsewhere. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { createAuditContext, removeRun, type ConformanceTarget } from 'supabase-conformance';
import { findUnmetNeeds, journeyNeeds, type ProjectParts } from '../test/e2e/support/needs.ts';

const usage = `npm run e2e:project -- --url URL --anon-key KEY --service-role-key KEY [options] [journeys]

Creates users and notifications in the project and removes these users at the end: use one that is for tests only.

  --url URL                the project's URL
  --anon-key KEY           its publishable or anonymous key
  --service-role-key KEY   its secret key or service role's key
  --database-url URL       its database as the owner of the tables; journeys that need SQL are left out without it
  --mailbox URL            a Mailpit that receives its mails; likewise for mails
  --app-port PORT          the port of the project's site URL on localhost; default 5173
  --mail-interval SECONDS  its max_frequency: the least time between two mails to one address; default 60
  --list                   only tells what would run and what is left out

Journeys are names of files in test/e2e, such as "links", as Playwright takes them; default all.`;

interface ListedSuite {
  readonly suites?: readonly ListedSuite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly file: string;
    readonly tags: readonly string[];
  }[];
}

export interface Journey {
  readonly title: string;
  readonly file: string;
  readonly tags: readonly string[];
}

/** The journeys of Playwright's JSON list. */
export function findJourneys(suite: ListedSuite): readonly Journey[] {
  const own = (suite.specs ?? []).map(({ title, file, tags }) => ({
    title,
    file,
    tags: tags.map((tag) => `@${tag.replace(/^@/, '')}`),
  }));
  return [...own, ...(suite.suites ?? []).flatMap(findJourneys)];
}

/** More journeys than this of one file are counted instead of listed. */
const maxListed = 10;

/** One heading per unmet need, and its journeys. A journey with several is named at the first. */
export function formatLeftOut(journeys: readonly Journey[], unmetNeeds: readonly string[]): string {
  const lines = new Map<string, Map<string, string[]>>();
  for (const { title, file, tags } of journeys) {
    const need = unmetNeeds.find((each) => tags.includes(each));
    if (need === undefined) continue;
    const files = lines.get(need) ?? new Map<string, string[]>();
    lines.set(need, files.set(file, [...(files.get(file) ?? []), title]));
  }
  return Object.entries(journeyNeeds)
    .filter(([need]) => lines.has(need))
    .map(([need, reason]) => {
      const files = [...(lines.get(need) ?? [])].flatMap(([file, titles]) =>
        titles.length > maxListed
          ? [`  ${file}: ${titles.length} journeys`]
          : titles.map((title) => `  ${file}: ${title}`),
      );
      return [`${need}: ${reason}`, ...files].join('\n');
    })
    .join('\n');
}

interface ProjectKeys {
  readonly url: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
}

const playwright = ['playwright', 'test', '--config', 'playwright.project.config.ts'];

function listJourneys(filters: readonly string[]): readonly Journey[] {
  const { stdout, stderr, status } = spawnSync(
    'npx',
    [...playwright, '--list', '--reporter', 'json', ...filters],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`Playwright lists no journeys: ${stderr || stdout}`);
  return findJourneys(JSON.parse(stdout) as ListedSuite);
}

/** Which of the optional services respond. */
async function probeProject({
  url,
  anonKey,
  serviceRoleKey,
}: ProjectKeys): Promise<Pick<ProjectParts, 'hasFunctions' | 'hasRecoveryCodes'>> {
  const target: ConformanceTarget = {
    authUrl: `${url}/auth/v1`,
    restUrl: `${url}/rest/v1`,
    realtimeUrl: null,
    storageUrl: null,
    anonKey,
    serviceKey: serviceRoleKey,
    mailboxUrl: null,
    smsInMailbox: false,
    redirectTo: url,
    fetch: (input, init) => fetch(input, init),
  };
  const { auth, newUser, run } = createAuditContext(target);
  const health = await auth.send('GET', '/health');
  if (health.status !== 200)
    throw new Error(`--url or --anon-key is wrong: GET /auth/v1/health responded with ${health.status}`);
  try {
    // Without a user the service refuses every path of factors alike.
    const { accessToken: token } = await newUser();
    const codes = await auth.send('POST', '/factors/recovery-codes', { token, body: {} });
    // No mail was due then, so that a function with all of its secrets sends none and responds with 200.
    const functions = await fetch(`${url}/functions/v1/notification-mails`, {
      method: 'POST',
      headers: { apikey: serviceRoleKey, authorization: `Bearer ${serviceRoleKey}` },
      body: JSON.stringify({ due_before: '2000-01-01T00:00:00Z' }),
    });
    return {
      hasFunctions: functions.ok,
      hasRecoveryCodes: codes.status !== 404,
    };
  } finally {
    await removeRun(target, run);
  }
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      'anon-key': { type: 'string' },
      'service-role-key': { type: 'string' },
      'database-url': { type: 'string' },
      mailbox: { type: 'string' },
      'app-port': { type: 'string', default: '5173' },
      'mail-interval': { type: 'string', default: '60' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { url, 'anon-key': anonKey, 'service-role-key': serviceRoleKey } = values;
  if (values.help || !url || !anonKey || !serviceRoleKey) return null;
  return { ...values, url: url.replace(/\/$/, ''), anonKey, serviceRoleKey, filters: positionals };
}

async function main(): Promise<number> {
  const options = readOptions();
  if (!options) {
    console.error(usage);
    return 2;
  }
  const { url, anonKey, serviceRoleKey, filters } = options;
  const unmetNeeds = findUnmetNeeds({
    ...(await probeProject(options)),
    hasDatabase: options['database-url'] !== undefined,
    hasMailbox: options.mailbox !== undefined,
  });
  const journeys = listJourneys(filters);
  const leftOut = journeys.filter(({ tags }) => unmetNeeds.some((need) => tags.includes(need)));
  console.log(`${journeys.length - leftOut.length} of ${journeys.length} journeys run. Left out:`);
  console.log(formatLeftOut(leftOut, unmetNeeds) || 'none');
  if (options.list) return 0;
  const { status } = spawnSync('npx', [...playwright, ...filters], {
    stdio: 'inherit',
    env: {
      ...process.env,
      E2E_UNMET_NEEDS: unmetNeeds.join(' '),
      E2E_SUPABASE_URL: url,
      E2E_ANON_KEY: anonKey,
      E2E_SERVICE_KEY: serviceRoleKey,
      E2E_DATABASE_URL: options['database-url'] ?? '',
      E2E_MAILBOX_URL: options.mailbox?.replace(/\/$/, '') ?? '',
      E2E_APP_PORT: options['app-port'],
      E2E_MAIL_INTERVAL_SECONDS: options['mail-interval'],
    },
  });
  return status ?? 1;
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main();
