import type { Extension, PGlite } from '@electric-sql/pglite';

/**
 * Runs the statements that a hosted project allows to its role `postgres`, which is no superuser, as `supabase_admin`,
 * and hands the new object over to `postgres`. It is what the library supautils does on the platform
 * (https://github.com/supabase/supautils): this function takes the place of its `ProcessUtility_hook`, so the rules
 * apply within functions and `do` blocks, too.
 */
export function createPrivilegedStatements(): Extension {
  return {
    name: 'privilegedStatements',
    setup: (pglite, emscriptenOpts: unknown) =>
      Promise.resolve({
        emscriptenOpts,
        init: () => {
          installHook((pglite as PGlite).Module as unknown as Postgres);
          return Promise.resolve();
        },
      }),
  };
}

/** Functions, addresses and helpers of PostgreSQL 17 in 32-bit WebAssembly; pointers are numbers. */
interface Postgres {
  readonly HEAPU32: Uint32Array;
  readonly _ProcessUtility_hook: number;
  readonly addFunction: (hook: Hook, signature: string) => number;
  readonly UTF8ToString: (address: number) => string;
  readonly stringToUTF8OnStack: (text: string) => number;
  readonly stringToNewUTF8: (text: string) => number;
  readonly _standard_ProcessUtility: Hook;
  readonly _malloc: (bytes: number) => number;
  readonly _free: (address: number) => void;
  readonly _GetUserId: () => number;
  readonly _GetUserIdAndSecContext: (id: number, context: number) => void;
  readonly _SetUserIdAndSecContext: (id: number, context: number) => void;
  readonly _GetUserNameFromId: (id: number, missingOk: number) => number;
  readonly _superuser_arg: (id: number) => number;
  readonly _IsTransactionState: () => number;
  readonly _makeRangeVarFromNameList: (names: number) => number;
  readonly _RangeVarGetRelidExtended: (
    range: number,
    lock: number,
    flags: number,
    callback: number,
    argument: number,
  ) => number;
  readonly _get_rel_name: (relation: number) => number;
  readonly _get_rel_namespace: (relation: number) => number;
  readonly _get_namespace_name: (namespace: number) => number;
  readonly _SPI_connect: () => number;
  readonly _SPI_execute: (sql: number, readOnly: number, limit: number) => number;
  readonly _SPI_finish: () => number;
  readonly _CommandCounterIncrement: () => void;
  readonly _errstart: (level: number, domain: number) => number;
  readonly _errcode: (code: number) => number;
  readonly _errmsg_internal: (format: number, values: number) => number;
  readonly _errfinish: (file: number, line: number, func: number) => void;
}
type Hook = (planned: number, ...rest: number[]) => void;

/** The role whose statements get the privileges. */
const PRIVILEGED_ROLE = 'postgres';
/** BOOTSTRAP_SUPERUSERID, which is `supabase_admin`. */
const ADMIN = 10;
const RESTRICTED = 1 | 2; // SECURITY_LOCAL_USERID_CHANGE and SECURITY_RESTRICTED_OPERATION
const ERROR = 21;
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
const OBJECT = { extension: 15, policy: 28, role: 33 } as const;

/** Extensions that the platform lets only a superuser create. */
const refusedExtensions: ReadonlySet<string> = new Set([
  'adminpack',
  'file_fdw',
  'intagg',
  'lo',
  'old_snapshot',
  'pageinspect',
  'pg_buffercache',
  'pg_freespacemap',
  'pg_surgery',
  'pg_visibility',
  'xml2',
]);
/** Tables of the services on which `postgres` may create, alter and drop policies. */
const policyTables: ReadonlySet<string> = new Set([
  'auth.audit_log_entries',
  'auth.identities',
  'auth.refresh_tokens',
  'auth.sessions',
  'auth.users',
  'realtime.messages',
  'storage.buckets',
  'storage.migrations',
  'storage.objects',
  'storage.s3_multipart_uploads',
  'storage.s3_multipart_uploads_parts',
]);
/** Settings that `postgres` may set although they need a superuser. */
const allowedSetting =
  /^(?:auto_explain\.log_(?:min_duration|nested_statements)|log_lock_waits|log_min_messages|pg_net\.(?:batch_size|ttl)|pgaudit\.(?:log(?:_catalog|_client|_level|_relation|_rows|_statement|_statement_once)?|role)|pgrst\..*|plan_filter\..*|safeupdate\.enabled|session_replication_role|track_io_timing)$/;
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

function installHook(postgres: Postgres): void {
  const context = postgres._malloc(8);
  const pointer = (address: number) => postgres.HEAPU32[address >> 2] ?? 0;
  const text = (address: number) => (address === 0 ? '' : postgres.UTF8ToString(address));
  const list = (address: number) => {
    const [length, elements] = address === 0 ? [0, 0] : [pointer(address + 4), pointer(address + 12)];
    return Array.from({ length }, (_, index) => pointer(elements + 4 * index));
  };
  const currentRole = () => text(postgres._GetUserNameFromId(postgres._GetUserId(), 1));
  const isPrivileged = () => currentRole() === PRIVILEGED_ROLE;

  const raise = (code: string, message: string): void => {
    postgres._errstart(ERROR, 0);
    const state = [...code].reduce((sum, digit, index) => sum | (Number(digit) << (6 * index)), 0);
    postgres._errcode(state);
    const values = postgres.stringToUTF8OnStack('    ');
    const aligned = (values + 3) & ~3;
    postgres.HEAPU32[aligned >> 2] = postgres.stringToUTF8OnStack(message);
    postgres._errmsg_internal(postgres.stringToUTF8OnStack('%s'), aligned);
    const place = postgres.stringToUTF8OnStack('supautils');
    postgres._errfinish(place, 0, place);
  };
  const refuseReserved = (role: string, allowsSettings = false): void => {
    const isSettable = reservedRoles.get(role);
    if (isSettable === undefined || (isSettable && allowsSettings)) return;
    raise('42501', `"${role}" is a reserved role, only superusers can modify it`);
  };

  const asAdmin = (run: () => void): void => {
    postgres._GetUserIdAndSecContext(context, context + 4);
    const [id, flags] = [pointer(context), pointer(context + 4)];
    postgres._SetUserIdAndSecContext(ADMIN, flags | RESTRICTED);
    try {
      run();
    } finally {
      postgres._SetUserIdAndSecContext(id, flags);
    }
  };
  const execute = (sql: string): void => {
    const address = postgres.stringToNewUTF8(sql);
    try {
      postgres._CommandCounterIncrement();
      postgres._SPI_connect();
      postgres._SPI_execute(address, 0, 0);
      postgres._SPI_finish();
    } finally {
      postgres._free(address);
    }
  };
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

  /** Raises 42P01 for a missing table, as supautils does, even if the statement says `if exists`. */
  const isPolicyTable = (range: number): boolean => {
    const relation = postgres._RangeVarGetRelidExtended(range, 0, 0, 0, 0);
    if (!isPrivileged()) return false;
    const schema = text(postgres._get_namespace_name(postgres._get_rel_namespace(relation)));
    return policyTables.has(`${schema}.${text(postgres._get_rel_name(relation))}`);
  };
  /** @param names the table's name, and the policy's at the end. */
  const isPolicyOfTable = (names: number): boolean => {
    const length = pointer(names + 4);
    if (length < 2) return false;
    postgres.HEAPU32[(names + 4) >> 2] = length - 1;
    try {
      return isPolicyTable(postgres._makeRangeVarFromNameList(names));
    } finally {
      postgres.HEAPU32[(names + 4) >> 2] = length;
    }
  };
  const isAllowedExtension = (name: string) => !refusedExtensions.has(name);
  const roleOf = (spec: number) => text(pointer(spec + 8));

  const refuseReservedNames = (tag: number, statement: number): void => {
    if (tag === TAG.alterRole) refuseReserved(roleOf(pointer(statement + 4)));
    if (tag === TAG.alterRoleSet) refuseReserved(roleOf(pointer(statement + 4)), isPrivileged());
    if (tag === TAG.createRole) refuseReserved(text(pointer(statement + 8)));
    if (tag === TAG.dropRole) for (const spec of list(pointer(statement + 4))) refuseReserved(roleOf(spec));
    if (tag === TAG.rename && pointer(statement + 4) === OBJECT.role)
      for (const offset of [20, 24]) refuseReserved(text(pointer(statement + offset)));
    if (tag !== TAG.grantRole) return;
    const isGrant = (pointer(statement + 12) & 0xff) === 1;
    for (const granted of isGrant ? list(pointer(statement + 4)) : []) {
      const name = text(pointer(granted + 4));
      if (reservedMemberships.has(name))
        raise('42501', `"${name}" role memberships are reserved, only superusers can grant them`);
    }
    for (const spec of list(pointer(statement + 8))) refuseReserved(roleOf(spec), isPrivileged());
  };
  const refuseRoleChange = (tag: number, statement: number): void => {
    if (tag !== TAG.alterRole || !isPrivileged()) return;
    const isSuperuser = (option: number) => text(pointer(option + 8)) === 'superuser';
    if (roleOf(pointer(statement + 4)) === PRIVILEGED_ROLE || list(pointer(statement + 8)).some(isSuperuser))
      raise('42501', 'permission denied to alter role');
  };
  /** PostgreSQL in WebAssembly lets every user become every other. */
  const refuseOtherUser = (statement: number): void => {
    const isValue = pointer(statement + 4) === 0;
    if (!isValue || text(pointer(statement + 8)) !== 'session_authorization') return;
    const [constant = 0] = list(pointer(statement + 12));
    const user = constant === 0 ? '' : text(pointer(constant + 8));
    if (user !== PRIVILEGED_ROLE) raise('42501', `permission denied to set session authorization "${user}"`);
  };

  const isAllowedSetting = (statement: number) =>
    isPrivileged() && allowedSetting.test(text(pointer(statement + 8)));
  /** Whether a statement of a role without superuser runs as superuser. */
  const needsAdmin = (tag: number, statement: number): boolean => {
    switch (tag) {
      case TAG.createExtension:
      case TAG.alterExtension:
        return isAllowedExtension(text(pointer(statement + 4)));
      case TAG.alterObjectSchema:
        return (
          pointer(statement + 4) === OBJECT.extension &&
          isAllowedExtension(text(pointer(pointer(statement + 12) + 4)))
        );
      case TAG.createPolicy:
      case TAG.alterPolicy:
        return isPolicyTable(pointer(statement + 8));
      case TAG.drop: {
        const objects = list(pointer(statement + 4));
        const kind = pointer(statement + 8);
        if (kind === OBJECT.policy) return objects.every(isPolicyOfTable);
        return (
          kind === OBJECT.extension && objects.every((name) => isAllowedExtension(text(pointer(name + 4))))
        );
      }
      case TAG.comment: {
        const kind = pointer(statement + 4);
        if (kind === OBJECT.policy) return isPolicyOfTable(pointer(statement + 8));
        return kind === OBJECT.extension && isPrivileged();
      }
      case TAG.variableSet:
        return isAllowedSetting(statement);
      case TAG.alterRoleSet:
        return isAllowedSetting(pointer(statement + 12));
      case TAG.alterRole:
      case TAG.createPublication:
      case TAG.alterPublication:
      case TAG.createEventTrigger:
      case TAG.createForeignDataWrapper:
        return isPrivileged();
      default:
        return false;
    }
  };
  /** Owners of event triggers and of foreign data wrappers have to be superusers at that moment. */
  const asSuperuser = (sql: string) =>
    `alter role ${PRIVILEGED_ROLE} superuser; ${sql}; alter role ${PRIVILEGED_ROLE} nosuperuser`;
  const handOver = (tag: number, statement: number): void => {
    const owned = `${quote(text(pointer(statement + 4)))} owner to ${PRIVILEGED_ROLE}`;
    if (tag === TAG.createPublication) execute(`alter publication ${owned}`);
    if (tag === TAG.createEventTrigger) execute(asSuperuser(`alter event trigger ${owned}`));
    if (tag === TAG.createForeignDataWrapper) execute(asSuperuser(`alter foreign data wrapper ${owned}`));
  };

  const hook: Hook = (planned, ...rest) => {
    const run = () => postgres._standard_ProcessUtility(planned, ...rest);
    const statement = pointer(planned + UTILITY_STATEMENT);
    const tag = pointer(statement);
    if (!handledTags.has(tag) || !postgres._IsTransactionState()) return run();
    if (postgres._superuser_arg(postgres._GetUserId())) return run();
    if (tag === TAG.variableSet) refuseOtherUser(statement);
    refuseReservedNames(tag, statement);
    refuseRoleChange(tag, statement);
    if (!needsAdmin(tag, statement)) return run();
    asAdmin(() => {
      run();
      handOver(tag, statement);
    });
  };
  postgres.HEAPU32[postgres._ProcessUtility_hook >> 2] = postgres.addFunction(hook, 'viiiiiiii');
}
