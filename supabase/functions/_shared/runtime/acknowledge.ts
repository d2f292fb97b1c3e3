import * as z from 'zod/mini';
import { DatabaseFunctionError } from './database-functions.ts';
import type { CallDatabase } from './database-functions.ts';
import type { FailureLog } from './failure-log.ts';

export interface AcknowledgmentOptions {
  readonly callDatabase: CallDatabase;
  readonly log: FailureLog;
  readonly wait: (durationMs: number) => Promise<void>;
}

export interface Acknowledgments {
  /**
   * Calls the function that acknowledges an item, with retries and backoff where the data service fails. Returns whether
   * it was acknowledged; a failure is logged.
   */
  acknowledge(name: string, args: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Whether an acknowledgment failed permanently: what the run sends from then on would be sent again by the next run. */
  hasFailed(): boolean;
}

const maxAttempts = 5;
const firstWaitMs = 200;

export function createAcknowledgments({ callDatabase, log, wait }: AcknowledgmentOptions): Acknowledgments {
  let hasFailed = false;
  return {
    async acknowledge(name, args) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await callDatabase(name, args, z.boolean());
          return true;
        } catch (problem) {
          if (attempt < maxAttempts && isTemporary(problem)) {
            await wait(firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
            continue;
          }
          hasFailed = true;
          log.report('acknowledgment_failed', { ...args, problem: String(problem) });
          return false;
        }
      }
    },
    hasFailed: () => hasFailed,
  };
}

/** A response of 4xx is final; a failing or unreachable service may respond to the next attempt. */
function isTemporary(problem: unknown): boolean {
  if (!(problem instanceof DatabaseFunctionError)) return true;
  return problem.status >= 500 || problem.status === 408 || problem.status === 429;
}
