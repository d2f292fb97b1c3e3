import type { Extension, PGlite } from '@electric-sql/pglite';
import { addMissingExtension, type FindExtension } from './extension-files.ts';
import { PostgresBackend, type Hook, type Postgres } from './postgres-backend.ts';

/**
 * Runs the statements that a hosted project allows to its role `postgres`, which is not a superuser, as `supabase_admin`,
 * and hands the new object over to `postgres`. It is what the library supautils does on the platform
 * (https://github.com/supabase/supautils): this function takes the place of its `ProcessUtility_hook`, so the rules
 * apply within functions and `do` blocks, too.
 *
 * @param findExtension finds the files of an extension before it is created. Default: those of the start are all.
 */
export function createPrivilegedStatements(findExtension: FindExtension = () => []): Extension {
  return {
    name: 'privilegedStatements',
    setup: (pglite, emscriptenOpts: unknown) =>
      Promise.resolve({
        emscriptenOpts,
        init: () => {
          const { Module } = pglite as PGlite;
          const prepare = (name: string) => addMissingExtension(Module.FS, name, findExtension);
          installHook(Module as unknown as Postgres, prepare);
          return Promise.resolve();
        },
      }),
  };
}

/** The role whose statements get the privileges. */
const PRIVILEGED_ROLE = 'postgres';
/** The offset of `PlannedStmt.utilityStmt`. */
const UTILITY_STATEMENT = 72;

/** Node tags (nodetags.h of PostgreSQL 17). */
const TAG = {
  grantRole: 152,
  variableSet: 155,
  createExtension: 163,
  alterExtension: 164,
  createForeignDataWrapper: 166,
  createPolicy: 175,
  alterPolicy: 176,
  createEventTrigger: 179,
  createRole: 182,
  alterRole: 183,
  alterRoleSet: 184,
  dropRole: 185,
  drop: 194,
  comment: 196,
  rename: 212,
  alterObjectSchema: 214,
  createPublication: 258,
  alterPublication: 259,
} as const;
const handledTags: ReadonlySet<number> = new Set(Object.values(TAG));
/** ObjectType (parsenodes.h). */
const OBJECT = { extension: 15, policy: 28, role: 33, trigger: 44 } as const;
/** RoleSpecType (parsenodes.h). */
const ROLE = { name: 0, currentRole: 1, currentUser: 2, sessionUser: 3 } as const;

/** Extensions that the platform lets only a superuser create. */
export const refusedExtensions: ReadonlySet<string> = new Set([
  'adminpack',
  'amcheck',
  'file_fdw',
  'intagg',
  'lo',
  'old_snapshot',
  'pageinspect',
  'pg_freespacemap',
  'pg_surgery',
  'pg_visibility',
  'xml2',
]);
/** Tables of the services on which `postgres` may create, alter and drop policies, and drop triggers. */
const grantedTables: ReadonlySet<string> = new Set([
  'auth.audit_log_entries',
  'auth.flow_state',
  'auth.identities',
  'auth.instances',
  'auth.mfa_amr_claims',
  'auth.mfa_challenges',
  'auth.mfa_factors',
  'auth.oauth_clients',
  'auth.one_time_tokens',
  'auth.refresh_tokens',
  'auth.saml_providers',
  'auth.saml_relay_states',
  'auth.sessions',
  'auth.sso_domains',
  'auth.sso_providers',
  'auth.users',
  'realtime.messages',
  'realtime.subscription',
  'storage.buckets',
  'storage.buckets_analytics',
  'storage.objects',
  'storage.prefixes',
  'storage.s3_multipart_uploads',
  'storage.s3_multipart_uploads_parts',
]);
/** Settings that `postgres` may set although they need a superuser. */
const allowedSetting =
  /^(?:auto_explain\..*|log_(?:lock_waits|min_duration_statement|min_messages|parameter_max_length|replication_commands|statement|temp_files)|pg_net\.(?:batch_size|ttl)|pg_stat_statements\..*|pgaudit\.(?:log(?:_catalog|_client|_level|_relation|_rows|_statement|_statement_once)?|role)|pgrst\..*|plan_filter\..*|safeupdate\.enabled|session_replication_role|track_io_timing|wal_compression)$/;
/** Roles that only a superuser changes; of those with `true`, `postgres` changes settings and memberships. */
const reservedRoles: ReadonlyMap<string, boolean> = new Map([
  ['supabase_admin', false],
  ['supabase_auth_admin', false],
  ['supabase_storage_admin', false],
  ['supabase_read_only_user', false],
  ['supabase_replication_admin', false],
  ['dashboard_user', false],
  ['pgbouncer', false],
  ['service_role', true],
  ['authenticator', true],
  ['authenticated', true],
  ['anon', true],
]);
const reservedMemberships: ReadonlySet<string> = new Set([
  'pg_read_server_files',
  'pg_write_server_files',
  'pg_execute_server_program',
  'authenticator',
]);

/** A statement in PostgreSQL's memory. The offsets are those of the structures in parsenodes.h. */
interface Statement {
  readonly backend: PostgresBackend;
  readonly tag: number;
  readonly address: number;
}

function installHook(postgres: Postgres, prepareExtension: (name: string) => void): void {
  const backend = new PostgresBackend(postgres);
  const hook: Hook = (planned = 0, ...rest) => {
    const run = () => void backend.call('standard_ProcessUtility', planned, ...rest);
    const address = backend.pointer(planned + UTILITY_STATEMENT);
    const statement = { backend, address, tag: backend.pointer(address) };
    if (statement.tag === TAG.createExtension) prepareExtension(backend.textAt(address + 4));
    if (!handledTags.has(statement.tag) || backend.isUnrestricted()) return run();
    if (statement.tag === TAG.variableSet) refuseOtherUser(statement);
    refuseReservedRoles(statement);
    refuseRoleChange(statement);
    if (!needsAdmin(statement)) return run();
    backend.asAdmin(() => {
      run();
      handOver(statement);
    });
  };
  backend.installHook(hook);
}

const isPrivileged = (backend: PostgresBackend): boolean => backend.currentRole() === PRIVILEGED_ROLE;

/** The role that PostgreSQL's RoleSpec names; empty for `public` and for `all`. */
function roleOf(backend: PostgresBackend, spec: number): string {
  if (spec === 0) return '';
  switch (backend.pointer(spec + 4)) {
    case ROLE.name:
      return backend.textAt(spec + 8);
    case ROLE.currentRole:
    case ROLE.currentUser:
      return backend.currentRole();
    case ROLE.sessionUser:
      return backend.sessionUser();
    default:
      return '';
  }
}

/** PostgreSQL in WebAssembly lets every user become every other. */
function refuseOtherUser({ backend, address }: Statement): void {
  const isValue = backend.pointer(address + 4) === 0;
  // A quoted name keeps its case, and PostgreSQL compares names of settings without it.
  if (!isValue || backend.textAt(address + 8).toLowerCase() !== 'session_authorization') return;
  const [constant = 0] = backend.listAt(address + 12);
  const user = constant === 0 ? '' : backend.textAt(constant + 8);
  if (user !== PRIVILEGED_ROLE && backend.hasRole(user))
    backend.raise('42501', `permission denied to set session authorization "${user}"`);
}

/** The roles that a statement would change, and whether it changes only settings or memberships of them. */
function changedRoles({ backend, tag, address }: Statement): readonly (readonly [string, boolean])[] {
  const named = (spec: number, isOfSettings = false) => [roleOf(backend, spec), isOfSettings] as const;
  switch (tag) {
    case TAG.alterRole:
      return [named(backend.pointer(address + 4))];
    case TAG.alterRoleSet:
      return [named(backend.pointer(address + 4), true)];
    case TAG.createRole: {
      const name = backend.textAt(address + 8);
      return backend.hasRole(name) ? [] : [[name, false]];
    }
    case TAG.dropRole:
      return backend
        .listAt(address + 4)
        .filter((spec) => backend.pointer(spec + 4) === ROLE.name)
        .map((spec) => named(spec));
    case TAG.rename:
      return backend.pointer(address + 4) === OBJECT.role
        ? [20, 24].map((offset) => [backend.textAt(address + offset), false] as const)
        : [];
    case TAG.grantRole:
      return backend.listAt(address + 8).map((spec) => named(spec, true));
    default:
      return [];
  }
}

function refuseReservedRoles(statement: Statement): void {
  const { backend, tag, address } = statement;
  const isGrant = tag === TAG.grantRole && (backend.pointer(address + 12) & 0xff) === 1;
  for (const granted of isGrant ? backend.listAt(address + 4) : []) {
    const name = backend.textAt(granted + 4);
    if (reservedMemberships.has(name))
      backend.raise('42501', `"${name}" role memberships are reserved, only superusers can grant them`);
  }
  for (const [role, isOfSettings] of changedRoles(statement)) {
    const isSettable = reservedRoles.get(role);
    if (isSettable === undefined || (isSettable && isOfSettings && isPrivileged(backend))) continue;
    backend.raise('42501', `"${role}" is a reserved role, only superusers can modify it`);
  }
}

function refuseRoleChange({ backend, tag, address }: Statement): void {
  if (tag !== TAG.alterRole || !isPrivileged(backend)) return;
  const isSuperuser = (option: number) => backend.textAt(option + 8) === 'superuser';
  if (
    roleOf(backend, backend.pointer(address + 4)) === PRIVILEGED_ROLE ||
    backend.listAt(address + 8).some(isSuperuser)
  )
    backend.raise('42501', 'permission denied to alter role');
}

const isAllowedExtension = (name: string): boolean => !refusedExtensions.has(name);

/** @param variableSet PostgreSQL's VariableSetStmt. */
const isAllowedSetting = (backend: PostgresBackend, variableSet: number): boolean =>
  isPrivileged(backend) && allowedSetting.test(backend.textAt(variableSet + 8));

/** Whether a statement of a role without superuser runs as superuser. */
function needsAdmin(statement: Statement): boolean {
  const { backend, tag, address } = statement;
  switch (tag) {
    case TAG.createExtension:
    case TAG.alterExtension:
      return isAllowedExtension(backend.textAt(address + 4));
    case TAG.alterObjectSchema:
      return (
        backend.pointer(address + 4) === OBJECT.extension &&
        isAllowedExtension(backend.textAt(backend.pointer(address + 12) + 4))
      );
    case TAG.createPolicy:
    case TAG.alterPolicy:
      return grantedTables.has(backend.tableName(backend.pointer(address + 8))) && isPrivileged(backend);
    case TAG.drop:
    case TAG.comment:
      return isOfAdmin(statement);
    case TAG.variableSet:
      return isAllowedSetting(backend, address);
    case TAG.alterRoleSet:
      return isAllowedSetting(backend, backend.pointer(address + 12));
    case TAG.alterRole:
    case TAG.createPublication:
    case TAG.alterPublication:
    case TAG.createEventTrigger:
    case TAG.createForeignDataWrapper:
      return isPrivileged(backend);
    default:
      return false;
  }
}

/** Whether a superuser drops or comments the objects: extensions, and policies and triggers on tables of the services. */
function isOfAdmin({ backend, tag, address }: Statement): boolean {
  const isDrop = tag === TAG.drop;
  const kind = backend.pointer(address + (isDrop ? 8 : 4));
  const objects = isDrop ? backend.listAt(address + 4) : [backend.pointer(address + 8)];
  if (kind === OBJECT.policy || (isDrop && kind === OBJECT.trigger))
    return (
      objects.every((names) => grantedTables.has(backend.tableNameOfPart(names))) && isPrivileged(backend)
    );
  if (kind !== OBJECT.extension) return false;
  return isDrop
    ? objects.every((name) => isAllowedExtension(backend.textAt(name + 4)))
    : isPrivileged(backend);
}

/** Owners of event triggers and of foreign data wrappers have to be superusers at that moment. */
const asSuperuser = (sql: string): string =>
  `alter role ${PRIVILEGED_ROLE} superuser; ${sql}; alter role ${PRIVILEGED_ROLE} nosuperuser`;

function handOver({ backend, tag, address }: Statement): void {
  const owned = () => `"${backend.textAt(address + 4).replaceAll('"', '""')}" owner to ${PRIVILEGED_ROLE}`;
  if (tag === TAG.createPublication) backend.execute(`alter publication ${owned()}`);
  if (tag === TAG.createEventTrigger) backend.execute(asSuperuser(`alter event trigger ${owned()}`));
  if (tag === TAG.createForeignDataWrapper)
    backend.execute(asSuperuser(`alter foreign data wrapper ${owned()}`));
}
