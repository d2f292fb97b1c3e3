import type { FetchFunction } from '../../http/in-process.ts';

/** The second argument of a function's handler: what an edge runtime provides through globals. */
export interface FunctionRuntime {
  /** The platform's variables and the project's secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: FetchFunction;
  /** Milliseconds since the epoch, by the clock of the project. */
  readonly now: () => number;
}

/** Handles requests to the project in process, because no port may listen. */
export function createFunctionFetch(projectUrl: () => string, inProcess: FetchFunction): FetchFunction {
  return (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    return new URL(address).origin === new URL(projectUrl()).origin
      ? inProcess(input, init)
      : fetch(input, init);
  };
}
