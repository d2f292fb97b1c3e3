/** A rule that classifies responses of an HTTP service. The first matching rule of a list applies. */
export interface HttpRule<Verdict> {
  /** Statuses, separated by spaces; `x` is any digit: `401 403`, `5xx`. */
  readonly status: string;
  /** Pattern of the body; null: anything. */
  readonly body: RegExp | null;
  readonly verdict: Verdict;
  /** How long to wait where the response has no Retry-After, in milliseconds. */
  readonly waitMs?: number;
  /** The reason, in words of the service's reference. */
  readonly meaning: string;
}

/** Returns the first matching rule. The last rule of a list matches everything. */
export function findHttpRule<Verdict>(
  rules: readonly HttpRule<Verdict>[],
  status: number,
  body: string,
): HttpRule<Verdict> {
  const rule = rules.find(
    (one) => matchesStatus(one.status, String(status)) && (one.body === null || one.body.test(body)),
  );
  if (!rule) throw new Error(`No rule fits the status ${status}`);
  return rule;
}

function matchesStatus(patterns: string, status: string): boolean {
  return patterns
    .split(' ')
    .some((pattern) => new RegExp(`^${pattern.replaceAll('x', '\\d')}$`).test(status));
}

/** Longer waits are capped: the database and timers do not accept larger numbers. */
const maxRetryAfterMs = 24 * 3_600_000;

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), in milliseconds, a day at most; 0 without it. */
export function readRetryAfterMs(headers: Headers, nowMs: number): number {
  const value = headers.get('retry-after') ?? '';
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Math.min(Math.max(0, waitMs || 0), maxRetryAfterMs);
}
