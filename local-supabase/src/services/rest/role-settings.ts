import type { PgliteDatabase } from '../../database/pglite-database.ts';
import { LOGIN_ROLE } from './catalog/routine-queries.ts';
import { readPath } from './request/token-claims.ts';
import { DEFAULT_REST_SETTINGS } from './settings.ts';
import type { RestSettings } from './settings.ts';

/** Orders settings of the role in this database after those in every database, so that they win. */
const SETTINGS_OF_ROLE = `
  select coalesce(json_agg(json_build_array(split_part(entry, '=', 1), substr(entry, strpos(entry, '=') + 1))
    order by s.setdatabase), '[]') as result
  from pg_catalog.pg_db_role_setting s
  join pg_catalog.pg_roles r on r.oid = s.setrole
  cross join lateral unnest(s.setconfig) entry
  where r.rolname = '${LOGIN_ROLE}' and (entry like 'pgrst.%' or entry like 'session_preload_libraries=%')
    and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_catalog))`;

type Change = Partial<RestSettings>;

/**
 * How PostgREST parses each setting (`PostgREST.Config`). An empty text counts as unset; an invalid number or boolean
 * selects PostgREST's default.
 */
const READERS: Readonly<Record<string, (text: string, base: RestSettings) => Change>> = {
  'pgrst.db_aggregates_enabled': (text) => ({ allowsAggregates: readBoolean(text) }),
  'pgrst.db_anon_role': (text) => (text === '' ? {} : { anonymousRole: text }),
  'pgrst.db_extra_search_path': (text) => ({ extraSearchPath: text === '' ? [] : splitOnCommas(text) }),
  'pgrst.db_max_rows': (text) => ({ maxRows: readInteger(text) ?? null }),
  'pgrst.db_plan_enabled': (text) => ({ allowsPlans: readBoolean(text) }),
  'pgrst.db_pre_request': (text) => ({ preRequest: text || null }),
  'pgrst.db_root_spec': (text) => ({ rootSpec: text || null }),
  'pgrst.db_schemas': readSchemas,
  'pgrst.db_tx_end': readTransactionEnd,
  'pgrst.jwt_aud': (text) => ({ audience: text || null }),
  'pgrst.jwt_role_claim_key': readRoleClaimKey,
  'pgrst.openapi_mode': readOpenApiMode,
  'pgrst.server_timing_enabled': (text) => ({ sendsTiming: readBoolean(text) }),
  session_preload_libraries: (text) => ({ refusesUnfilteredWrites: /\bsafeupdate\b/.test(text) }),
  // Version 14 does not have this setting.
  'pgrst.url_use_legacy_target_names': (text, { version }) =>
    version === 14 ? {} : { allowsTargetNames: readBoolean(text, true) },
};

/**
 * Overrides settings with those of the role `authenticator`, such as `alter role authenticator set pgrst.db_max_rows =
 * '10'`. Uses the session; call it within `database.exclusive`.
 *
 * @throws {TypeError} naming the setting, for a value that PostgREST rejects.
 */
export async function withRoleSettings(database: PgliteDatabase, base: RestSettings): Promise<RestSettings> {
  const [result] = await database.pipeline([{ text: SETTINGS_OF_ROLE }], { keepsFiles: false });
  const entries = JSON.parse(result?.rows[0]?.[0] ?? '[]') as readonly (readonly [string, string])[];
  const changes = entries.map(([name, text]) =>
    Object.hasOwn(READERS, name) ? READERS[name]?.(text, base) : undefined,
  );
  return Object.assign({}, base, ...changes) as RestSettings;
}

/** Parses a word regardless of case, or a number, which is true if positive. */
function readBoolean(text: string, otherwise = false): boolean {
  const word = text.replaceAll(/[^a-z]/gi, '').toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  const number = readInteger(text);
  return number === undefined ? otherwise : number > 0;
}

const readInteger = (text: string): number | undefined =>
  /^\s*-?\d+\s*$/.test(text) ? Number(text) : undefined;

const splitOnCommas = (text: string): string[] => text.split(',').map((part) => part.trim());

/** Drops the schema of GraphQL, as for `[api]`, because GraphQL is not supported here. */
function readSchemas(text: string): Change {
  const schemas = splitOnCommas(text).filter((schema) => schema !== '' && schema !== 'graphql_public');
  const refused = schemas.find((schema) => schema === 'pg_catalog' || schema === 'information_schema');
  if (refused !== undefined) throw new TypeError(`pgrst.db_schemas does not allow schema: '${refused}'`);
  return { schemas: schemas.length > 0 ? schemas : DEFAULT_REST_SETTINGS.schemas };
}

function readTransactionEnd(text: string): Change {
  if (!/^(?:(?:commit|rollback)(?:-allow-override)?)?$/.test(text))
    throw new TypeError(`pgrst.db_tx_end: '${text}' is not an end of a transaction`);
  return { allowsTransactionEnd: text.endsWith('-allow-override'), rollsBack: text.startsWith('rollback') };
}

function readRoleClaimKey(text: string): Change {
  const roleClaimKey = text || DEFAULT_REST_SETTINGS.roleClaimKey;
  readPath({}, roleClaimKey);
  return { roleClaimKey };
}

function readOpenApiMode(text: string): Change {
  const modes = ['follow-privileges', 'ignore-privileges', 'disabled'] as const;
  const openApiMode = modes.find((mode) => mode === (text || 'follow-privileges'));
  if (!openApiMode) throw new TypeError(`pgrst.openapi_mode: '${text}' is not a mode`);
  return { openApiMode };
}
