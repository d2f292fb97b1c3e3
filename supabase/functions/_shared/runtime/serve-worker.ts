import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { AcknowledgmentOptions } from './acknowledge.ts';
import { createDatabaseCaller } from './database-functions.ts';
import { createFailureLog } from './failure-log.ts';
import { parseRequestJson } from './parse.ts';
import { errorResponse, reportToOperator, serveFunction } from './runtime.ts';
import type { FunctionHandler, Runtime } from './runtime.ts';
import { isWorkerCall } from './service-keys.ts';

/** The body of a call of a worker by the timer, or by its earlier run. */
export const workerCallSchema = z.object({ worker: z.optional(z.int().check(z.positive())) });

/** The options of a worker's run. */
export interface WorkerOptions extends AcknowledgmentOptions {
  readonly now: () => number;
  /** Makes the database start the next run of this worker, unless the timer did not call this one. Never rejects. */
  readonly startNext: () => Promise<void>;
  /** Nothing is claimed after this time of `performance.now()`: functions have a time limit. */
  readonly stopAtMs: number;
}

/** The platform ends a run after 150 s; its last requests may wait for their timeouts, a mail for three of 20 s. */
const runMs = 50_000;

/** Serves a function that the timer or a backend calls by POST. It responds with what `run` returns, as JSON. */
export function serveWorker<Schema extends z.ZodMiniType<z.infer<typeof workerCallSchema>>>(
  functionName: string,
  schema: Schema,
  run: (options: WorkerOptions, runtime: Runtime, call: z.output<Schema>) => unknown,
): FunctionHandler {
  return serveFunction({ methods: ['POST'] }, async (request, runtime) => {
    if (!isWorkerCall(request, runtime.env))
      return errorResponse(403, 'worker_secret_needed', 'The worker secret or a service key is needed');
    const call = parseRequestJson(schema, (await request.text()) || '{}');
    const log = createFailureLog(request, functionName, reportToOperator);
    const callDatabase = createDatabaseCaller(runtime, log.traceparent);
    const startNext = async () => {
      if (call.worker === undefined) return;
      const args = { function_name: functionName, worker: call.worker };
      // The timer starts the next run otherwise.
      await callDatabase('continue_worker', args, z.boolean()).catch((problem: unknown) =>
        log.report('next_run_not_started', { problem: String(problem) }),
      );
    };
    const options: WorkerOptions = {
      callDatabase,
      log,
      now: runtime.now,
      startNext,
      stopAtMs: performance.now() + runMs,
      wait: (durationMs) => setTimeout(durationMs),
    };
    return Response.json(await run(options, runtime, call));
  });
}
