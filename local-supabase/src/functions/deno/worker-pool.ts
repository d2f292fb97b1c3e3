import type { FunctionProcess } from './function-process.ts';

export interface WorkerPoolOptions {
  readonly start: (name: string) => Promise<FunctionProcess>;
  /** A text that changes when the functions must be restarted. */
  readonly version: () => Promise<string>;
}

export interface WorkerPool {
  /** Starts the function's process unless it runs, and counts a request to it until `done` is called. */
  begin(name: string): Promise<{ readonly process: FunctionProcess; readonly done: () => void }>;
  close(): Promise<void>;
}

interface Worker {
  readonly version: string;
  readonly started: Promise<FunctionProcess>;
  process?: FunctionProcess;
  active: number;
  usedAtMs: number;
}

/** The limits for idle processes: their number, and the time without a request. */
const MOST_IDLE = 4;
const IDLE_MS = 120_000;
const SWEEP_MS = 1000;

/** Keeps one process per function, until it is idle or its code has changed. */
export function createWorkerPool({ start, version }: WorkerPoolOptions): WorkerPool {
  const workers = new Map<string, Worker>();
  /** Processes that end after their last request. */
  const retired = new Set<Worker>();

  const launch = (name: string, current: string): Worker => {
    const worker: Worker = { version: current, started: start(name), active: 0, usedAtMs: performance.now() };
    workers.set(name, worker);
    worker.started.then(
      (process) => {
        worker.process = process;
      },
      () => {
        if (workers.get(name) === worker) workers.delete(name);
      },
    );
    return worker;
  };
  const workerOf = async (name: string): Promise<Worker> => {
    const current = await version();
    const known = workers.get(name);
    if (known?.version === current && known.process?.hasEnded !== true) return known;
    if (known) retired.add(known);
    return launch(name, current);
  };
  const sweep = () => {
    const idle = [...workers].filter(([, worker]) => isIdle(worker));
    const old = idle
      .toSorted(([, a], [, b]) => b.usedAtMs - a.usedAtMs)
      .filter(([, { usedAtMs }], index) => index >= MOST_IDLE || performance.now() - usedAtMs > IDLE_MS);
    for (const [name, worker] of old) {
      workers.delete(name);
      retired.add(worker);
    }
    for (const worker of retired) {
      if (!isIdle(worker)) continue;
      retired.delete(worker);
      void worker.process?.end();
    }
  };
  const timer = setInterval(sweep, SWEEP_MS);
  timer.unref();
  return {
    async begin(name) {
      const worker = await workerOf(name);
      worker.active += 1;
      let isDone = false;
      const done = () => {
        if (isDone) return;
        isDone = true;
        worker.active -= 1;
        worker.usedAtMs = performance.now();
      };
      try {
        return { process: await worker.started, done };
      } catch (problem) {
        done();
        throw problem;
      }
    },
    async close() {
      clearInterval(timer);
      const running = [...workers.values(), ...retired];
      workers.clear();
      await Promise.all(
        running.map(({ started }) => started.then((each) => each.end()).catch(() => undefined)),
      );
    },
  };
}

const isIdle = ({ active, process }: Worker): boolean =>
  process !== undefined && active === 0 && (process.pendingTasks === 0 || process.hasEnded);
