/** The result of a call: its data, or its error. `Empty` is the data beside an error. */
export type Outcome<Data, Problem, Empty = null> = Success<Data> | Failure<Problem, Empty>;

interface Success<Data> {
  data: Data;
  error: null;
}
interface Failure<Problem, Empty> {
  data: Empty;
  error: Problem;
}

/** How the calls of one service return their failures. */
export interface OutcomeOptions<Problem> {
  /** Converts an error of a native client to the vendor's. */
  readonly toError: (problem: unknown) => Problem;
  /** Whether calls throw instead of returning an error. Default: never. */
  readonly shouldThrow?: () => boolean;
}

/** Runs native calls and returns their outcomes. */
export interface Settle<Problem> {
  /** The data, or null beside an error. */
  <Data>(work: () => Promise<Data>): Promise<Outcome<Data, Problem>>;
  /** The data, or `empty` beside an error. */
  <Data, Empty>(work: () => Promise<Data>, empty: Empty): Promise<Outcome<Data, Problem, Empty>>;
}

/** Returns the function that the methods of a service run their native calls by. */
export function createSettle<Problem>({ toError, shouldThrow }: OutcomeOptions<Problem>): Settle<Problem> {
  return async <Data>(work: () => Promise<Data>, empty: unknown = null) => {
    try {
      return { data: await work(), error: null };
    } catch (problem) {
      const error = toError(problem);
      if (shouldThrow?.()) throw error;
      return { data: empty as null, error };
    }
  };
}
