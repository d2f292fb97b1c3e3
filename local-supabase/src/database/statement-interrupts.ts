import type { Extension, PGlite } from '@electric-sql/pglite';
import { INTERRUPT_HOOK_ARGUMENT, HOOK_IMPORT } from './interruptible-wasm.ts';

/** Ends running statements early: PostgreSQL's own timeouts, and cancellation. */
export interface StatementInterrupts {
  /** Installs the interrupts in a PGlite at its start; requires a module of `makeInterruptible`. */
  readonly extension: Extension;
  /** Makes PostgreSQL check its timeouts again after its memory was replaced. */
  renew(): void;
}

/** CLOCK_MONOTONIC of WASI's `clock_time_get`. */
const MONOTONIC = 1;
/** PostgreSQL waits in a loop that reads this clock, so a time far ahead ends the wait. */
const DAY_NANOSECONDS = 86_400_000_000_000n;
/** ITIMER_REAL, the timer behind SIGALRM. */
const REAL_TIMER = 0;
/** The maximum number of PostgreSQL's checks between two calls of the hook, and the minimum time between them. */
const MAX_CHECKS = 128;
const SHORT_MS = 1;

interface WasmImports {
  readonly wasi_snapshot_preview1: Record<string, unknown>;
  readonly env: Record<string, unknown>;
}
type Ready = (instance: WebAssembly.Instance, module: WebAssembly.Module) => unknown;
type Instantiate = (imports: WasmImports, ready: Ready) => unknown;
interface Postgres {
  readonly HEAP32: Int32Array;
  readonly HEAPU8: Uint8Array;
  /** Addresses in PostgreSQL's memory. */
  readonly _InterruptPending: number;
  readonly _QueryCancelPending: number;
}

const known = new WeakMap<PGlite, StatementInterrupts>();

/** The interrupts that a PGlite was started with. */
export const interruptsOf = (pglite: PGlite): StatementInterrupts | undefined => known.get(pglite);

/**
 * PGlite implements PostgreSQL's timer with JavaScript's, which never fires while a statement runs. Here the statement
 * itself reads the time wherever PostgreSQL checks for interrupts or waits, so `statement_timeout` works as documented,
 * also when it is set for a role, a transaction or a function.
 */
class Interrupts implements StatementInterrupts {
  readonly #takeCancel: () => boolean;
  #dueMs = Number.POSITIVE_INFINITY;
  #requestedMs = 0;
  #checks = 1;
  #postgres: () => Postgres | undefined = () => undefined;
  #raiseAlarm: (timer: number, nowMs: number) => void = () => undefined;
  readonly extension: Extension = {
    name: 'interrupts',
    setup: (pglite, options) => Promise.resolve(this.#install(pglite as PGlite, options)),
  };

  constructor(takeCancel: () => boolean) {
    this.#takeCancel = takeCancel;
  }

  renew(): void {
    this.#dueMs = 0;
    this.#setFlag('_InterruptPending');
  }

  #install(pglite: PGlite, options: { readonly instantiateWasm: Instantiate }) {
    const { instantiateWasm } = options;
    known.set(pglite, this);
    this.#postgres = () => pglite.Module as unknown as Postgres | undefined;
    const instantiate: Instantiate = (imports, ready) => {
      this.#wrap(imports);
      return instantiateWasm(imports, (instance, module) => {
        this.#raiseAlarm = instance.exports['_emscripten_timeout'] as (timer: number, nowMs: number) => void;
        return ready(instance, module);
      });
    };
    return {
      emscriptenOpts: { ...options, instantiateWasm: instantiate },
      init: () => {
        this.#setFlag('_InterruptPending');
        return Promise.resolve();
      },
    };
  }

  #setFlag(name: '_InterruptPending' | '_QueryCancelPending'): void {
    const memory = this.#postgres();
    if (memory) memory.HEAP32[memory[name] >> 2] = 1;
  }

  /** Delivers a due alarm, as a signal would, and a cancellation. */
  #deliver(nowMs: number): boolean {
    const isCanceled = this.#takeCancel();
    const isDue = nowMs >= this.#dueMs;
    if (isCanceled) this.#setFlag('_QueryCancelPending');
    if (isDue) {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#raiseAlarm(REAL_TIMER, nowMs);
    }
    if (isCanceled || isDue) this.#setFlag('_InterruptPending');
    return isCanceled || isDue;
  }

  /** @returns the number of checks until the next call of the hook. */
  #ask(): number {
    const nowMs = performance.now();
    this.#deliver(nowMs);
    const isQuick = nowMs - this.#requestedMs < SHORT_MS;
    this.#requestedMs = nowMs;
    this.#checks = isQuick ? Math.min(this.#checks * 2, MAX_CHECKS) : Math.max(this.#checks >> 2, 1);
    return this.#checks;
  }

  #wrap({ wasi_snapshot_preview1: wasi, env }: WasmImports): void {
    const other = env[HOOK_IMPORT] as (...args: number[]) => number;
    env[HOOK_IMPORT] = (...args: number[]) =>
      args[0] === INTERRUPT_HOOK_ARGUMENT ? this.#ask() : other(...args);
    env['_setitimer_js'] = (_timer: number, delayMs: number) => {
      this.#dueMs = delayMs > 0 ? performance.now() + delayMs : Number.POSITIVE_INFINITY;
      return 0;
    };
    // Set the flag here, because an error leaves `ProcessInterrupts` before it does so: to a handler, or to PGlite where none is.
    for (const name of ['_emscripten_throw_longjmp', 'exit']) {
      const leave = env[name] as (...args: number[]) => void;
      env[name] = (...args: number[]) => {
        this.#setFlag('_InterruptPending');
        leave(...args);
      };
    }
    const readClock = wasi['clock_time_get'] as (id: number, precision: bigint, address: number) => number;
    wasi['clock_time_get'] = (id: number, precision: bigint, address: number) => {
      const status = readClock(id, precision, address);
      const memory = id === MONOTONIC && this.#deliver(performance.now()) ? this.#postgres() : undefined;
      if (memory) {
        const view = new DataView(memory.HEAPU8.buffer);
        view.setBigUint64(address, view.getBigUint64(address, true) + DAY_NANOSECONDS, true);
      }
      return status;
    };
  }
}

/** @param takeCancel whether the running statement is to be canceled; returns true once per cancellation. */
export const createStatementInterrupts = (takeCancel: () => boolean = () => false): StatementInterrupts =>
  new Interrupts(takeCancel);
