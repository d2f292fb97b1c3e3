/** The supported settings of PostgREST. The defaults are those of a hosted project. */
export interface RestSettings {
  /** The major version of PostgREST to behave as. */
  readonly version: 14 | 16;
  /**
   * `url-use-legacy-target-names`: whether parameters may refer to an embedded relation by name although it has an
   * alias. Version 14 has no such setting and allows it.
   */
  readonly allowsTargetNames: boolean;
  /** `db-schemas`: the first is the default. */
  readonly schemas: readonly string[];
  /** `db-extra-search-path`: schemas that are searched after the exposed one. */
  readonly extraSearchPath: readonly string[];
  /** `db-anon-role`: the role of requests without a token. */
  readonly anonymousRole: string;
  /** `db-max-rows`; null for no limit. */
  readonly maxRows: number | null;
  /** `db-aggregates-enabled`: whether aggregates may be selected. */
  readonly allowsAggregates: boolean;
  /** `db-plan-enabled`: whether execution plans may be requested. */
  readonly allowsPlans: boolean;
  /** `db-tx-end`: whether `Prefer: tx=` is applied. */
  readonly allowsTransactionEnd: boolean;
  /** `db-tx-end`: whether a successful transaction is rolled back. */
  readonly rollsBack: boolean;
  /** `db-pre-request`: a function that each transaction calls first, with the caller's role; null for none. */
  readonly preRequest: string | null;
  /** `db-root-spec`: a function that handles `/` instead of the description; null for none. */
  readonly rootSpec: string | null;
  /** `openapi-mode`: whether `/` describes what the caller's role may use, everything, or nothing (404). */
  readonly openApiMode: 'follow-privileges' | 'ignore-privileges' | 'disabled';
  /** `jwt-aud`: the audience that a token with an `aud` must have; null for any. */
  readonly audience: string | null;
  /** `jwt-role-claim-key`: the path of the role in a token, such as `.roles[0]` or `."https://example.com/role"`. */
  readonly roleClaimKey: string;
  /** `server-timing-enabled`: whether responses have the header `Server-Timing`. */
  readonly sendsTiming: boolean;
  /** Whether the role `authenticator` preloads `safeupdate`, which rejects an update or delete without a filter. */
  readonly refusesUnfilteredWrites: boolean;
}

export const DEFAULT_REST_SETTINGS: RestSettings = {
  version: 16,
  allowsTargetNames: true,
  schemas: ['public'],
  extraSearchPath: ['public', 'extensions'],
  anonymousRole: 'anon',
  maxRows: 1000,
  allowsAggregates: false,
  allowsPlans: false,
  allowsTransactionEnd: false,
  rollsBack: false,
  preRequest: null,
  rootSpec: null,
  openApiMode: 'follow-privileges',
  audience: null,
  roleClaimKey: '.role',
  sendsTiming: false,
  refusesUnfilteredWrites: false,
};

/** The releases that the service behaves as. */
export const RELEASES = { 14: '14.17', 16: '16.4' } as const;

/** The settings of the REST service, from `[api]`. Those of the role `authenticator` (`pgrst.db_max_rows`, …) override them. */
export interface ApiSettings {
  /** The exposed schemas; requests without a schema use the first. Default `public`. */
  readonly schemas?: readonly string[];
  /** Default `public, extensions`. */
  readonly extraSearchPath?: readonly string[];
  /** The maximum number of rows of one response. Default 1000. */
  readonly maxRows?: number;
  /** The major version of PostgREST to behave as. Default 16. */
  readonly version?: 14 | 16;
  /** `url-use-legacy-target-names` of version 16. Default true. */
  readonly allowsTargetNames?: boolean;
  /** `db-pre-request`: a function, with its schema, that each transaction calls first. Default none. */
  readonly preRequest?: string;
  /** `db-root-spec`: a function of the exposed schema that handles `/`. Default none. */
  readonly rootSpec?: string;
  /** `openapi-mode`. Default `follow-privileges`. */
  readonly openApiMode?: 'follow-privileges' | 'ignore-privileges' | 'disabled';
  /** `jwt-aud`: the audience that a token with an `aud` must have. Default: any. */
  readonly audience?: string;
  /** `jwt-role-claim-key`: names, quoted names and indexes, such as `.roles[0]`. Default `.role`. */
  readonly roleClaimKey?: string;
  /** `server-timing-enabled`: a header `Server-Timing` with milliseconds. Default false. */
  readonly sendsTiming?: boolean;
}
