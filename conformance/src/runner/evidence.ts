import type { Audit } from '../audit/audit.ts';
import { UnmetExpectationError } from '../target/assertion.ts';
import { formatCurl } from '../target/curl.ts';
import { redactSecrets } from '../target/redaction.ts';
import type { ConformanceTarget } from '../target/target.ts';
import { describeFailure, type Exchange, type WatchedTarget } from './watched-target.ts';
import { UnexpectedResponseError } from '../target/wire.ts';

/** Why an audit failed, without keys, tokens and passwords. */
export interface Evidence {
  /** A sentence about a conforming target. */
  readonly expectation: string;
  /** The actual value. */
  readonly came: string;
  /** The request as a `curl` command; null if the audit sent none, or failed because of frames. */
  readonly request: string | null;
  /** Status, relevant headers and body of the response; null without one. */
  readonly response: string | null;
  /** The latest frames of the realtime service, oldest first. */
  readonly frames: readonly string[];
}

const longestText = 1_000;

export function collectEvidence(
  audit: Audit,
  problem: unknown,
  { exchanges, frames, secrets }: Pick<WatchedTarget, 'exchanges' | 'frames' | 'secrets'>,
  target: ConformanceTarget,
): Evidence {
  const shorten = (text: string) => {
    const redacted = redactSecrets(text, target, secrets);
    return redacted.length > longestText ? `${redacted.slice(0, longestText)}…` : redacted;
  };
  // If frames are the cause, the latest request was about something else.
  const isAboutFrames = frames.length > 0 && !(problem instanceof UnexpectedResponseError);
  const exchange = isAboutFrames ? undefined : decisiveExchange(problem, exchanges);
  const isExpected = problem instanceof UnmetExpectationError;
  return {
    expectation: shorten(isExpected ? problem.expectation : audit.title),
    came: shorten(isExpected ? problem.came : describeFailure(problem)),
    request: exchange ? formatCurl(exchange.request, target) : null,
    response: exchange ? shorten(describeResponse(exchange)) : null,
    frames: frames.map(shorten),
  };
}

const shownHeaders = ['content-range', 'location', 'preference-applied', 'retry-after', 'www-authenticate'];

function describeResponse({ status, headers, body }: Exchange): string {
  const lines = shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value}\n`];
  });
  return `${status ?? 'no response:'} ${lines.join('')}${body()}`.trim();
}

/** The exchange with the unexpected response, or the latest one. */
function decisiveExchange(problem: unknown, exchanges: readonly Exchange[]): Exchange | undefined {
  const newestFirst = exchanges.toReversed();
  const found =
    problem instanceof UnexpectedResponseError &&
    newestFirst.find(
      ({ status, body }) => status === problem.response.status && body() === problem.response.text,
    );
  return found || newestFirst[0];
}
