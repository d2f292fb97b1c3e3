/** Codes of the clients' errors for a network or a server that fails. */
const outages: ReadonlySet<unknown> = new Set([
  'network',
  'timeout',
  'aborted',
  'not-the-service',
  'unavailable',
  'server',
  'rate-limited',
]);

/**
 * `platform.report` of the application. The page shows an outage and retries, so it is logged; everything else is a bug, and
 * ends as an uncaught error.
 */
export function reportProblem(problem: unknown): void {
  const isOutage = problem instanceof Error && 'code' in problem && outages.has(problem.code);
  if (isOutage) console.warn(problem); // eslint-disable-line no-console
  else reportError(problem);
}

/** The report of an error that leaves the page, without texts that people wrote, their addresses, or tokens. */
export interface ErrorReport {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** The screen: the first part of the path. The rest, the query and the fragment may be secrets. */
  readonly screen: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface ErrorReportsOptions {
  /** Receives unhandled errors and rejections; `platform.report` is one of their sources. */
  readonly page: Pick<Window, 'addEventListener' | 'location'>;
  readonly now: () => number;
  readonly send: (report: ErrorReport) => void;
}

/** Maximum number of reports: a broken screen may fail at each render. */
const maxReports = 10;
const longestText = 2_000;
/** A page that is still there after this time was not left. */
const leavingMs = 5_000;

/** Sends each different error of the page once, to the service that the team reads. */
export function followErrors({ page, now, send }: ErrorReportsOptions): void {
  const known = new Set<string>();
  let leavingAtMs = -Infinity;
  const leave = () => {
    leavingAtMs = now();
  };
  const follow = (problem: unknown) => {
    // Firefox rejects the requests and imports in flight of a page that is left.
    if (now() - leavingAtMs < leavingMs) return;
    const { name, message, stack } = describe(problem);
    const key = `${name} ${message} ${stack}`;
    if (known.has(key) || known.size >= maxReports) return;
    known.add(key);
    const [, first = ''] = page.location.pathname.split('/');
    send({ name, message, stack, screen: `/${first}`, at: new Date(now()).toISOString() });
  };
  for (const type of ['beforeunload', 'pagehide']) page.addEventListener(type, leave);
  page.addEventListener('error', ({ error, message }) => follow(error ?? message));
  page.addEventListener('unhandledrejection', ({ reason }) => follow(reason));
}

function describe(problem: unknown): Pick<ErrorReport, 'name' | 'message' | 'stack'> {
  const isError = problem instanceof Error;
  return {
    name: isError ? problem.name : typeof problem,
    message: withoutSecrets(isError ? problem.message : String(problem)),
    stack: withoutSecrets((isError && problem.stack) || ''),
  };
}

/** Tokens (JWT), keys, queries and fragments of URLs, long random texts such as those of links, and addresses. */
const secrets = /eyJ[\w-]+\.[\w-]+\.[\w-]*|sb_\w+|[?#][^\s)]+|[\w-]{32,}|[^\s@]+@[^\s@]+\.\w+/g;

const withoutSecrets = (text: string): string => text.slice(0, longestText).replaceAll(secrets, '…');
