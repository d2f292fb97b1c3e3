import type { Extension, PGlite } from '@electric-sql/pglite';
import { isRemote, type PostgresSession } from './postgres-session.ts';

/** The clock of PostgreSQL in WebAssembly: the machine's clock plus an offset. */
export interface DatabaseClock {
  /** Moves SQL's clock, such as `now()`, ahead by this many milliseconds; 0 resets it. */
  setAhead(byMs: number): void;
  /** Installs the clock in a PGlite at its start. */
  readonly extension: Extension;
}

const clocks = new WeakMap<PGlite, DatabaseClock>();
/** CLOCK_REALTIME of WASI's `clock_time_get`. */
const REALTIME = 0;
const NANOSECONDS = 1_000_000;

interface WasmImports {
  readonly wasi_snapshot_preview1: Record<string, unknown>;
  readonly env: Record<string, unknown>;
}
type Instantiate = (imports: WasmImports, ready: unknown) => unknown;

export function createDatabaseClock(): DatabaseClock {
  let aheadMs = 0;
  let memory: () => ArrayBufferLike;
  const wrap = ({ wasi_snapshot_preview1: wasi, env }: WasmImports) => {
    const read = wasi['clock_time_get'] as (id: number, precision: bigint, address: number) => number;
    wasi['clock_time_get'] = (id: number, precision: bigint, address: number) => {
      const status = read(id, precision, address);
      if (id !== REALTIME || aheadMs === 0) return status;
      const view = new DataView(memory());
      const ahead = BigInt(aheadMs) * BigInt(NANOSECONDS);
      view.setBigUint64(address, view.getBigUint64(address, true) + ahead, true);
      return status;
    };
    const readDate = env['emscripten_date_now'] as () => number;
    env['emscripten_date_now'] = () => readDate() + aheadMs;
  };
  return {
    setAhead(byMs) {
      aheadMs = Math.round(byMs);
    },
    extension: {
      name: 'clock',
      setup: (pglite, options: { readonly instantiateWasm: Instantiate }) => {
        memory = () => (pglite as PGlite).Module.HEAPU8.buffer;
        const { instantiateWasm } = options;
        const instantiate: Instantiate = (imports, ready) => {
          wrap(imports);
          return instantiateWasm(imports, ready);
        };
        return Promise.resolve({ emscriptenOpts: { ...options, instantiateWasm: instantiate } });
      },
    },
  };
}

export const keepClock = (pglite: PGlite, clock: DatabaseClock): void => void clocks.set(pglite, clock);

/** Sets how many milliseconds SQL's clock is ahead of the machine's. */
export async function setClock(session: PostgresSession, aheadMs: number): Promise<void> {
  if (isRemote(session)) return session.setAhead(aheadMs);
  return clocks.get(session)?.setAhead(aheadMs);
}
