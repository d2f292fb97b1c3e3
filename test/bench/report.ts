/** One line of the table of `npm run bench`. */
export interface Metric {
  /** What is measured: `REST: building a query`. */
  readonly name: string;
  /** Our figure, in `unit`; less is better. */
  readonly ours: number;
  /** The vendor's figure; null where the vendor has no counterpart. */
  readonly peer: number | null;
  /** `µs`, `ms`, `bytes`, … */
  readonly unit: string;
  /** The largest ratio of ours to the peer's that meets the goal; null without a goal. */
  readonly goal: number | null;
}

/** Lines with this prefix are metrics; `npm run bench` collects them, and shows any other line unchanged. */
export const metricPrefix = 'METRIC ';

/** Reports a metric to `npm run bench`. */
export function reportMetric(metric: Metric): void {
  console.log(metricPrefix + JSON.stringify(metric));
}
