import { randomBytes } from 'node:crypto';

/** Writes failures to the log of the function: one line of JSON each, with the trace of the request. */
export interface FailureLog {
  /** The header of this run for the requests that it sends (https://www.w3.org/TR/trace-context/#traceparent-header). */
  readonly traceparent: string;
  /** @param event what failed. @param details such as the id of the message. */
  report(event: string, details: Readonly<Record<string, unknown>>): void;
}

const traceparentPattern = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/;

/** Continues the trace of the request, or begins one. @param write takes one line. */
export function createFailureLog(
  request: Request,
  functionName: string,
  write: (line: string) => void,
): FailureLog {
  const [, traceId = randomBytes(16).toString('hex'), flags = '01'] =
    traceparentPattern.exec(request.headers.get('traceparent') ?? '') ?? [];
  const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}`;
  return {
    traceparent,
    report(event, details) {
      write(JSON.stringify({ level: 'error', function: functionName, event, ...details, traceparent }));
    },
  };
}

/** The message of an error, with URLs reduced to their origin: Deno 2.1 puts whole URLs into it, which may hold a secret. */
export function messageOf(problem: unknown): string {
  const message = problem instanceof Error ? problem.message : String(problem);
  return message.replaceAll(/(\bhttps?:\/\/)(?:[^\s/@()]*@)?([^\s/?#()]+)[^\s()]*/gi, '$1$2');
}
