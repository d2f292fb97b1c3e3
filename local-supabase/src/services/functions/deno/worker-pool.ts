import type { FunctionProcess } from './function-process.ts';

export interface WorkerPoolOptions {
  readonly start: (name: string) => Promise<FunctionProcess>;
  /** A text that changes when the functions must be restarted. */
  readonly version: () => Promise<string>;
}

interface Worker {
  readonly version: string;
  readonly started: Promise<FunctionProcess>;
  process?: FunctionProcess;
  active: number;
  usedAtMs: number;
}

/** The limits for idle processes: their number, and the time without a request. */
const MAX_IDLE = 4;
const IDLE_MS = 120_000;
const SWEEP_MS = 1000;

/** Keeps one process per function, until it is idle or its code has changed. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Map<string, Worker>();
  /** Processes that end after their last request. */
  readonly #retired = new Set<Worker>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#timer.unref();
  }

  /** Starts the function's process unless it runs, and counts a request to it until `done` is called. */
  async begin(name: string): Promise<{ readonly process: FunctionProcess; readonly done: () => void }> {
    const worker = await this.#find(name);
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
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const running = [...this.#workers.values(), ...this.#retired];
    this.#workers.clear();
    await Promise.all(
      running.map(({ started }) => started.then((each) => each.end()).catch(() => undefined)),
    );
  }

  async #find(name: string): Promise<Worker> {
    const version = await this.#options.version();
    const known = this.#workers.get(name);
    if (known?.version === version && known.process?.hasEnded !== true) return known;
    if (known) this.#retired.add(known);
    return this.#launch(name, version);
  }

  #launch(name: string, version: string): Worker {
    const started = this.#options.start(name);
    const worker: Worker = { version, started, active: 0, usedAtMs: performance.now() };
    this.#workers.set(name, worker);
    started.then(
      (process) => {
        worker.process = process;
      },
      () => {
        if (this.#workers.get(name) === worker) this.#workers.delete(name);
      },
    );
    return worker;
  }

  #sweep(): void {
    const old = [...this.#workers]
      .filter(([, worker]) => isIdle(worker))
      .toSorted(([, a], [, b]) => b.usedAtMs - a.usedAtMs)
      .filter(([, { usedAtMs }], index) => index >= MAX_IDLE || performance.now() - usedAtMs > IDLE_MS);
    for (const [name, worker] of old) {
      this.#workers.delete(name);
      this.#retired.add(worker);
    }
    for (const worker of this.#retired) {
      if (!isIdle(worker)) continue;
      this.#retired.delete(worker);
      void worker.process?.end();
    }
  }
}

const isIdle = ({ active, process }: Worker): boolean =>
  process !== undefined && active === 0 && (process.pendingTasks === 0 || process.hasEnded);
