/** Functions, addresses and helpers of PostgreSQL 17 in 32-bit WebAssembly; pointers are numbers. */
export interface Postgres {
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
export type Hook = (planned: number, ...rest: number[]) => void;

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
    this.#context = postgres._malloc(8);
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
    return this.#text(this.#postgres._GetUserNameFromId(this.#postgres._GetUserId(), 1));
  }

  /** Whether no rule applies: a superuser, or no transaction in which a rule could be looked up. */
  isUnrestricted(): boolean {
    const { _IsTransactionState, _superuser_arg, _GetUserId } = this.#postgres;
    return !_IsTransactionState() || _superuser_arg(_GetUserId()) !== 0;
  }

  /**
   * The schema and name of a table, by PostgreSQL's RangeVar. Raises 42P01 for a missing table, as supautils does, even
   * if the statement says `if exists`.
   */
  tableName(range: number): string {
    const postgres = this.#postgres;
    const relation = postgres._RangeVarGetRelidExtended(range, 0, 0, 0, 0);
    const schema = this.#text(postgres._get_namespace_name(postgres._get_rel_namespace(relation)));
    return `${schema}.${this.#text(postgres._get_rel_name(relation))}`;
  }

  /** @param names a list of the table's names, and of that of its policy at the end. */
  tableNameOfPolicy(names: number): string {
    const length = this.pointer(names + 4);
    this.#postgres.HEAPU32[(names + 4) >> 2] = length - 1;
    try {
      return this.tableName(this.#postgres._makeRangeVarFromNameList(names));
    } finally {
      this.#postgres.HEAPU32[(names + 4) >> 2] = length;
    }
  }

  /** Raises an error of PostgreSQL: throws, as its `longjmp` does. */
  raise(code: string, message: string): void {
    const postgres = this.#postgres;
    postgres._errstart(ERROR, 0);
    postgres._errcode([...code].reduce((sum, digit, index) => sum | (Number(digit) << (6 * index)), 0));
    const values = (postgres.stringToUTF8OnStack(' '.repeat(8)) + 3) & ~3;
    postgres.HEAPU32[values >> 2] = postgres.stringToUTF8OnStack(message);
    postgres._errmsg_internal(postgres.stringToUTF8OnStack('%s'), values);
    const place = postgres.stringToUTF8OnStack('supautils');
    postgres._errfinish(place, 0, place);
  }

  /** Runs `task` as the bootstrap superuser. */
  asAdmin(task: () => void): void {
    const postgres = this.#postgres;
    postgres._GetUserIdAndSecContext(this.#context, this.#context + 4);
    const [user, flags] = [this.pointer(this.#context), this.pointer(this.#context + 4)];
    postgres._SetUserIdAndSecContext(ADMIN, flags | RESTRICTED);
    try {
      task();
    } finally {
      postgres._SetUserIdAndSecContext(user, flags);
    }
  }

  execute(sql: string): void {
    const postgres = this.#postgres;
    const address = postgres.stringToNewUTF8(sql);
    try {
      postgres._CommandCounterIncrement();
      postgres._SPI_connect();
      postgres._SPI_execute(address, 0, 0);
      postgres._SPI_finish();
    } finally {
      postgres._free(address);
    }
  }

  #text(address: number): string {
    return address === 0 ? '' : this.#postgres.UTF8ToString(address);
  }
}
