import { parseArgs } from 'node:util';

export const usage = `supabase-conformance --url URL --anon-key KEY [options]

Without --url the embedded Supabase is started and audited, where the package local-supabase is installed.

The server
  --url URL            the project's URL, or that of an auth service alone, whose audits are then run
  --anon-key KEY       its public key
  --service-key KEY    its service role key; audits that need it are not run without it
  --jwt-secret SECRET  its legacy secret, to sign expired tokens; default that of the vendor's local stack
  --database-url URL   its database, for audits of what the database broadcasts; likewise
  --mailbox URL        a Mailpit that receives its mails; likewise
  --sms-in-mailbox     codes sent by SMS arrive there too
  --hooks-port PORT    hooks of the auth service lead to http://127.0.0.1:PORT/<name of the hook>; likewise
  --apply-schema       with --database-url: makes the tables that most audits of REST and realtime need, and switches
                       aggregates of REST on for moments; both are undone at the end, tables of a killed run at the beginning; one
                       such run at a time; without it these audits are not run on a project of others
  --print-schema       only prints the SQL of these tables, to apply it yourself
  --redirect-to URL    a page that its allow-list permits; default http://localhost:5173/home

The audits
  --set SET            server or client; default both
  --only NAMES         auth, rest, realtime, storage and functions, with -client their clients alone, and ids of
                       audits, separated by commas
  --client MODULE      a module that exports createClientAdapter(), for the audits of any client in place of ours
  --client-command CMD a program that speaks JSON lines, likewise
  --known FILE         known failures: "ID reason" a line; default for the embedded one: its own list
  --concurrency N      audits at the same time; default 4

What stays
  --allow-foreign-users  run although the project has users that no audit created
  --keep               keep what the run created; default with a service key: remove it at the end and after an interruption
  --clean RUN          only remove what an earlier run created, by the id that it printed; with --database-url the tables
                       of --apply-schema, too

Reports
  --reports FOLDER     where conformance.html, .json and .xml (JUnit) are written; default reports
  --compare A B        only tell what changed from one JSON report to another; 1 where a MUST is broken
  --version, --help`;

export type CommandOptions = ReturnType<typeof parseOptions>['values'];

/** @throws {TypeError} for unknown options. */
export function parseOptions(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      'anon-key': { type: 'string', default: '' },
      'service-key': { type: 'string' },
      'jwt-secret': { type: 'string' },
      'database-url': { type: 'string' },
      mailbox: { type: 'string' },
      'sms-in-mailbox': { type: 'boolean', default: false },
      'hooks-port': { type: 'string' },
      'redirect-to': { type: 'string', default: 'http://localhost:5173/home' },
      set: { type: 'string' },
      only: { type: 'string' },
      'apply-schema': { type: 'boolean', default: false },
      'print-schema': { type: 'boolean', default: false },
      'allow-foreign-users': { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      clean: { type: 'string' },
      client: { type: 'string' },
      'client-command': { type: 'string' },
      known: { type: 'string' },
      reports: { type: 'string', default: 'reports' },
      compare: { type: 'boolean', default: false },
      concurrency: { type: 'string', default: '4' },
      version: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}
