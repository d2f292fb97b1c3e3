import type { Extension } from '@electric-sql/pglite';

const forceExit = '_emscripten_force_exit';

interface WasmImports {
  readonly env: Record<string, unknown>;
}
type Call = (...args: never[]) => unknown;
interface Emscripten {
  callMain: Call;
  [forceExit]: Call;
}
interface EmscriptenOptions {
  readonly preRun: ((module: Emscripten) => void)[];
  readonly instantiateWasm: (imports: WasmImports, ready: unknown) => unknown;
}

/** Undefined in a browser. */
const host = globalThis.process as NodeJS.Process | undefined;

/**
 * Restores `process.exitCode`, which Emscripten sets to the exit status of PostgreSQL's process although it belongs to
 * the host.
 */
export const hostExitCode: Extension = {
  name: 'host exit code',
  setup: (_pglite, options: EmscriptenOptions) =>
    Promise.resolve({
      emscriptenOpts: {
        ...options,
        preRun: [
          ...options.preRun,
          (module: Emscripten) => {
            module.callMain = keepingExitCode(module.callMain);
            module[forceExit] = keepingExitCode(module[forceExit]);
          },
        ],
        instantiateWasm: (imports: WasmImports, ready: unknown) => {
          for (const name of ['exit', 'proc_exit'])
            imports.env[name] = keepingExitCode(imports.env[name] as Call);
          return options.instantiateWasm(imports, ready);
        },
      },
    }),
};

/** Restores the exit code after `task`: PGlite runs initdb without the extension. Changes by the host are lost, too. */
export async function keepExitCode<T>(task: () => Promise<T>): Promise<T> {
  const exitCode = host?.exitCode;
  try {
    return await task();
  } finally {
    restore(exitCode);
  }
}

function keepingExitCode(call: Call): Call {
  if (host === undefined) return call;
  const kept: Call = (...args) => {
    const { exitCode } = host;
    try {
      return call(...args);
    } finally {
      restore(exitCode);
    }
  };
  // The dynamic linker reads an import's signature from the function's properties.
  return Object.assign(kept, call);
}

function restore(exitCode: NodeJS.Process['exitCode']): void {
  if (!host) return;
  host.exitCode = exitCode;
  // Bun keeps a number in place of undefined.
  if (host.exitCode !== exitCode) host.exitCode = 0;
}
