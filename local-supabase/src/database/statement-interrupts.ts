import type { Extension, PGlite } from '@electric-sql/pglite';
import { HOOK_CALL, HOOK_IMPORT } from './interruptible-wasm.ts';

/** What lets a running statement end before its time: PostgreSQL's own timeouts, and a request to cancel it. */
export interface StatementInterrupts {
  /** Loads them into a PGlite that is about to start, with a module of `makeInterruptible`. */
  readonly extension: Extension;
  /** Makes PostgreSQL look at its timeouts anew, after its memory was replaced. */
  renew(): void;
}

/** CLOCK_MONOTONIC of WASI's `clock_time_get`. */
const MONOTONIC = 1;
/** PostgreSQL waits in a loop that reads this clock: a time far ahead ends the wait. */
const DAY_NANOSECONDS = 86_400_000_000_000n;
/** ITIMER_REAL, the timer behind SIGALRM. */
const REAL_TIMER = 0;
/** Between two questions: at most this many of PostgreSQL's own checks, and at least this long where they are quick. */
const MOST_CHECKS = 128;
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
  /** Addresses of the flags. */
  readonly _InterruptPending: number;
  readonly _QueryCancelPending: number;
}

const known = new WeakMap<PGlite, StatementInterrupts>();

/** The interrupts with which a PGlite was started. */
export const interruptsOf = (pglite: PGlite): StatementInterrupts | undefined => known.get(pglite);

/**
 * PGlite implements PostgreSQL's timer by JavaScript's, which never fires while a statement runs. Here the statement
 * itself looks at the time, wherever PostgreSQL checks for interrupts or waits, so `statement_timeout` works as
 * documented, also those of a role, a transaction or a function.
 *
 * @param takeCancel whether the statement that runs has to end; true once for each request.
 */
export function createStatementInterrupts(takeCancel: () => boolean = () => false): StatementInterrupts {
  let dueMs = Number.POSITIVE_INFINITY;
  let [askedMs, checks] = [0, 1];
  let postgres: () => Postgres | undefined = () => undefined;
  let raiseAlarm: (timer: number, nowMs: number) => void = () => undefined;

  const setFlag = (name: '_InterruptPending' | '_QueryCancelPending') => {
    const memory = postgres();
    if (memory) memory.HEAP32[memory[name] >> 2] = 1;
  };
  /** Delivers the alarm that is due as a signal would, and a request to cancel. */
  const deliver = (nowMs: number): boolean => {
    const isCanceled = takeCancel();
    const isDue = nowMs >= dueMs;
    if (isCanceled) setFlag('_QueryCancelPending');
    if (isDue) {
      dueMs = Number.POSITIVE_INFINITY;
      raiseAlarm(REAL_TIMER, nowMs);
    }
    if (isCanceled || isDue) setFlag('_InterruptPending');
    return isCanceled || isDue;
  };
  /** @returns how many checks pass without another question. */
  const ask = (): number => {
    const nowMs = performance.now();
    deliver(nowMs);
    const isQuick = nowMs - askedMs < SHORT_MS;
    askedMs = nowMs;
    checks = isQuick ? Math.min(checks * 2, MOST_CHECKS) : Math.max(checks >> 2, 1);
    return checks;
  };
  const wrap = ({ wasi_snapshot_preview1: wasi, env }: WasmImports) => {
    const other = env[HOOK_IMPORT] as (...args: number[]) => number;
    env[HOOK_IMPORT] = (...args: number[]) => (args[0] === HOOK_CALL ? ask() : other(...args));
    env['_setitimer_js'] = (_timer: number, delayMs: number) => {
      dueMs = delayMs > 0 ? performance.now() + delayMs : Number.POSITIVE_INFINITY;
      return 0;
    };
    // An error leaves `ProcessInterrupts` before it sets the flag again.
    const throwLongjmp = env['_emscripten_throw_longjmp'] as () => void;
    env['_emscripten_throw_longjmp'] = () => {
      setFlag('_InterruptPending');
      throwLongjmp();
    };
    const readClock = wasi['clock_time_get'] as (id: number, precision: bigint, address: number) => number;
    wasi['clock_time_get'] = (id: number, precision: bigint, address: number) => {
      const status = readClock(id, precision, address);
      const memory = id === MONOTONIC && deliver(performance.now()) ? postgres() : undefined;
      if (memory) {
        const view = new DataView(memory.HEAPU8.buffer);
        view.setBigUint64(address, view.getBigUint64(address, true) + DAY_NANOSECONDS, true);
      }
      return status;
    };
  };
  const interrupts: StatementInterrupts = {
    renew() {
      dueMs = 0;
      setFlag('_InterruptPending');
    },
    extension: {
      name: 'interrupts',
      setup: (pglite, options: { readonly instantiateWasm: Instantiate }) => {
        const { instantiateWasm } = options;
        known.set(pglite as PGlite, interrupts);
        postgres = () => (pglite as PGlite).Module as unknown as Postgres | undefined;
        const instantiate: Instantiate = (imports, ready) => {
          wrap(imports);
          return instantiateWasm(imports, (instance, module) => {
            raiseAlarm = instance.exports['_emscripten_timeout'] as typeof raiseAlarm;
            return ready(instance, module);
          });
        };
        return Promise.resolve({
          emscriptenOpts: { ...options, instantiateWasm: instantiate },
          init: () => {
            setFlag('_InterruptPending');
            return Promise.resolve();
          },
        });
      },
    },
  };
  return interrupts;
}
