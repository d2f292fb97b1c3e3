export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export interface Sides<Result> {
  readonly ours: Result;
  readonly peer: Result;
}

/**
 * Measures both sides in alternating rounds, because the second pays for the garbage of the first. The first round warms
 * up and is left out.
 */
export async function alternate<Result>(
  rounds: number,
  measure: (side: keyof Sides<unknown>) => Promise<Result>,
): Promise<Sides<readonly Result[]>> {
  const results: { ours: Result[]; peer: Result[] } = { ours: [], peer: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const);
    for (const side of order) {
      const result = await measure(side);
      if (round > 0) results[side].push(result);
    }
  }
  return results;
}

/**
 * The CPU time of one call in microseconds, because wall time includes other work of the machine. It forces no collection of
 * garbage: V8 drops optimized code then, and a stubbed select takes 120 µs instead of 25.
 */
export async function cpuMicroseconds(task: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < times; done += 1) await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}
