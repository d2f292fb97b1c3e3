import type { Audit } from './audit.ts';
import { UnmetExpectationError } from './assertion.ts';
import { formatCurl } from './curl.ts';
import { redactSecrets } from './redaction.ts';
import type { ConformanceTarget } from './target.ts';
import { describeFailure, type Exchange, type WatchedTarget } from './watched-target.ts';
import { UnexpectedReplyError } from './wire.ts';

/** Why an audit failed, as texts without keys, tokens and passwords. */
export interface Evidence {
  /** What a conforming target does, as a sentence. */
  readonly expectation: string;
  /** What came in its place. */
  readonly came: string;
  /** The request as a `curl` command; null where the audit sent none, or frames decided. */
  readonly request: string | null;
  /** Status, telling headers and body of its answer; null without one. */
  readonly answer: string | null;
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
  // Where frames decide, the latest request was about something else.
  const isAboutFrames = frames.length > 0 && !(problem instanceof UnexpectedReplyError);
  const exchange = isAboutFrames ? undefined : decisiveExchange(problem, exchanges);
  const isExpected = problem instanceof UnmetExpectationError;
  return {
    expectation: shorten(isExpected ? problem.expectation : audit.title),
    came: shorten(isExpected ? problem.came : describeFailure(problem)),
    request: exchange ? formatCurl(exchange.request, target) : null,
    answer: exchange ? shorten(describeAnswer(exchange)) : null,
    frames: frames.map(shorten),
  };
}

const tellingHeaders = ['content-range', 'location', 'preference-applied', 'retry-after', 'www-authenticate'];

function describeAnswer({ status, headers, answer }: Exchange): string {
  const told = tellingHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value}\n`];
  });
  return `${status ?? 'no answer:'} ${told.join('')}${answer()}`.trim();
}

/** The exchange of the reply that was refused, or the latest one. */
function decisiveExchange(problem: unknown, exchanges: readonly Exchange[]): Exchange | undefined {
  const newestFirst = exchanges.toReversed();
  const found =
    problem instanceof UnexpectedReplyError &&
    newestFirst.find(
      ({ status, answer }) => status === problem.reply.status && answer() === problem.reply.text,
    );
  return found || newestFirst[0];
}
