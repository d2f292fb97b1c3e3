/**
 * The number of random cases of a property: `daily` in `npm test`, `nightly` with LONG_RUNS=1. The daily ones find a fault in a rule; the
 * nightly ones find the rare value.
 */
export const propertyRuns = (daily: number, nightly: number): number =>
  process.env['LONG_RUNS'] === '1' ? nightly : daily;
