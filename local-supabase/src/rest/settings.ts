/** The settings of PostgREST that matter here, with the values of a hosted project as defaults. */
export interface RestSettings {
  /** `db-schemas`: the first is the default. */
  readonly schemas: readonly string[];
  /** `db-extra-search-path`. */
  readonly extraSearchPath: readonly string[];
  /** `db-anon-role`. */
  readonly anonymousRole: string;
  /** `db-max-rows`; null for any number. */
  readonly maxRows: number | null;
  /** `db-aggregates-enabled`. */
  readonly allowsAggregates: boolean;
  /** `db-plan-enabled`. */
  readonly allowsPlans: boolean;
  /** `db-tx-end`: whether `Prefer: tx=` is applied. */
  readonly allowsTransactionEnd: boolean;
}

export const DEFAULT_REST_SETTINGS: RestSettings = {
  schemas: ['public'],
  extraSearchPath: ['public', 'extensions'],
  anonymousRole: 'anon',
  maxRows: 1000,
  allowsAggregates: false,
  allowsPlans: false,
  allowsTransactionEnd: false,
};
