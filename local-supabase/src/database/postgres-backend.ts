/** PostgreSQL's functions that the module exports with an underscore before the name. */
type FunctionName =
  | 'malloc'
  | 'free'
  | 'GetUserId'
  | 'GetUserIdAndSecContext'
  | 'SetUserIdAndSecContext'
  | 'GetUserNameFromId'
  | 'GetConfigOption'
  | 'get_role_oid'
  | 'superuser_arg'
  | 'IsTransactionState'
  | 'makeRangeVarFromNameList'
  | 'RangeVarGetRelidExtended'
  | 'get_rel_name'
  | 'get_rel_namespace'
  | 'get_namespace_name'
  | 'SPI_connect'
  | 'SPI_execute'
  | 'SPI_finish'
  | 'CommandCounterIncrement'
  | 'errstart'
  | 'errcode'
  | 'errmsg_internal'
  | 'errfinish'
  | 'standard_ProcessUtility';
const HOOK = '_ProcessUtility_hook';

/** PostgreSQL 17 in 32-bit WebAssembly; addresses are numbers. */
export type Postgres = Readonly<Record<`_${FunctionName}`, (...args: number[]) => number>> & {
  readonly HEAPU32: Uint32Array;
  /** The address of the pointer to the hook. */
  readonly [HOOK]: number;
  readonly addFunction: (hook: Hook, signature: string) => number;
  readonly UTF8ToString: (address: number) => string;
  readonly stringToUTF8OnStack: (text: string) => number;
  readonly stringToNewUTF8: (text: string) => number;
};
/** Runs a statement, as PostgreSQL's `ProcessUtility_hook_type`. */
export type Hook = (...args: number[]) => void;

/** BOOTSTRAP_SUPERUSERID, which is `supabase_admin`. */
const ADMIN = 10;
/** SECURITY_LOCAL_USERID_CHANGE and SECURITY_RESTRICTED_OPERATION. */
const RESTRICTED = 1 | 2;
const ERROR = 21;

/** Reads PostgreSQL's nodes in memory and calls its functions, within a statement. */
export class PostgresBackend {
  readonly #postgres: Postgres;
  /** Eight bytes for the user and the flags of its security context. */
  readonly #context: number;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    this.#context = this.call('malloc', 8);
  }

  call(name: FunctionName, ...args: number[]): number {
    return this.#postgres[`_${name}`](...args);
  }

  installHook(hook: Hook): void {
    this.#postgres.HEAPU32[this.#postgres[HOOK] >> 2] = this.#postgres.addFunction(hook, 'viiiiiiii');
  }

  pointer(address: number): number {
    return this.#postgres.HEAPU32[address >> 2] ?? 0;
  }

  /** The text that a pointer at this address refers to. */
  textAt(address: number): string {
    return this.#text(this.pointer(address));
  }

  /** The elements of the list that a pointer at this address refers to. */
  listAt(address: number): readonly number[] {
    const list = this.pointer(address);
    const [length, elements] = list === 0 ? [0, 0] : [this.pointer(list + 4), this.pointer(list + 12)];
    return Array.from({ length }, (_, index) => this.pointer(elements + 4 * index));
  }

  currentRole(): string {
    return this.#text(this.call('GetUserNameFromId', this.call('GetUserId'), 1));
  }

  /** The session's user, whose number PGlite does not export. */
  sessionUser(): string {
    const name = this.#postgres.stringToUTF8OnStack('session_authorization');
    return this.#text(this.call('GetConfigOption', name, 1, 0));
  }

  hasRole(name: string): boolean {
    return this.call('get_role_oid', this.#postgres.stringToUTF8OnStack(name), 1) !== 0;
  }

  /** Whether no rule applies: a superuser, or no transaction in which a rule could be looked up. */
  isUnrestricted(): boolean {
    return !this.call('IsTransactionState') || this.call('superuser_arg', this.call('GetUserId')) !== 0;
  }

  /**
   * The schema and name of a table, by PostgreSQL's RangeVar. Raises 42P01 for a missing table, as supautils does, even
   * if the statement says `if exists`.
   */
  tableName(range: number): string {
    const relation = this.call('RangeVarGetRelidExtended', range, 0, 0, 0, 0);
    const schema = this.#text(this.call('get_namespace_name', this.call('get_rel_namespace', relation)));
    return `${schema}.${this.#text(this.call('get_rel_name', relation))}`;
  }

  /** @param names a list of the table's names, and of that of its policy or trigger at the end. */
  tableNameOfPart(names: number): string {
    const length = this.pointer(names + 4);
    this.#postgres.HEAPU32[(names + 4) >> 2] = length - 1;
    try {
      return this.tableName(this.call('makeRangeVarFromNameList', names));
    } finally {
      this.#postgres.HEAPU32[(names + 4) >> 2] = length;
    }
  }

  /** Raises an error of PostgreSQL: throws, as its `longjmp` does. */
  raise(code: string, message: string): void {
    const postgres = this.#postgres;
    this.call('errstart', ERROR, 0);
    this.call(
      'errcode',
      Array.from(code).reduce((sum, digit, index) => sum | (Number(digit) << (6 * index)), 0),
    );
    const values = (postgres.stringToUTF8OnStack(' '.repeat(8)) + 3) & ~3;
    postgres.HEAPU32[values >> 2] = postgres.stringToUTF8OnStack(message);
    this.call('errmsg_internal', postgres.stringToUTF8OnStack('%s'), values);
    const place = postgres.stringToUTF8OnStack('supautils');
    this.call('errfinish', place, 0, place);
  }

  /** Runs `task` as the bootstrap superuser. */
  asAdmin(task: () => void): void {
    this.call('GetUserIdAndSecContext', this.#context, this.#context + 4);
    const [user, flags] = [this.pointer(this.#context), this.pointer(this.#context + 4)];
    this.call('SetUserIdAndSecContext', ADMIN, flags | RESTRICTED);
    try {
      task();
    } finally {
      this.call('SetUserIdAndSecContext', user, flags);
    }
  }

  execute(sql: string): void {
    const postgres = this.#postgres;
    const address = postgres.stringToNewUTF8(sql);
    try {
      this.call('CommandCounterIncrement');
      this.call('SPI_connect');
      this.call('SPI_execute', address, 0, 0);
      this.call('SPI_finish');
    } finally {
      this.call('free', address);
    }
  }

  #text(address: number): string {
    return address === 0 ? '' : this.#postgres.UTF8ToString(address);
  }
}
