import { PGlite, type Extension, type PGliteOptions } from '@electric-sql/pglite';
import { hostExitCode, keepExitCode } from './host-exit-code.ts';

type Print = (line: string) => void;

/** PostgreSQL's message before its process ends. */
const lastMessage = /\b(?:PANIC|FATAL):\s+(.*)/;

/**
 * Starts a PGlite.
 *
 * @throws {Error} with PostgreSQL's reason if it does not start; PGlite itself reports only an abort.
 */
export async function startPglite(options: PGliteOptions): Promise<PGlite> {
  let reason: string | undefined;
  const log: Extension = {
    name: 'log',
    setup: (_pglite, emscriptenOpts: { readonly printErr: Print }) => {
      const printErr: Print = (line) => {
        reason = lastMessage.exec(line)?.[1] ?? reason;
        emscriptenOpts.printErr(line);
      };
      return Promise.resolve({ emscriptenOpts: { ...emscriptenOpts, printErr } });
    },
  };
  try {
    const start = () =>
      PGlite.create({ ...options, extensions: { ...options.extensions, log, hostExitCode } });
    const hasFiles = options.fs !== undefined || options.loadDataDir !== undefined;
    return await (hasFiles ? start() : keepExitCode(start));
  } catch (problem) {
    throw reason === undefined ? problem : new Error(reason, { cause: problem });
  }
}
