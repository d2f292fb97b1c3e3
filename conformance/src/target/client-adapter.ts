export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

type NoArguments = { readonly [name: string]: never };

/** The commands of a client, with the members of `args`. A client may support only some. */
export interface ClientCommands {
  /** Signs in with a password. */
  signIn: { readonly email: string; readonly password: string };
  signUp: { readonly email: string; readonly password: string };
  /** Ends the session; `scope` is `global`, `local` or `others`. */
  signOut: { readonly scope: string };
  /** Returns the access token, refreshed first if it has expired; null without a session. */
  getAccessToken: NoArguments;
  /** Returns the names of the events so far, such as `SIGNED_IN`, oldest first. */
  getEvents: NoArguments;
  /** Changes the user's metadata. */
  updateUser: { readonly data: { readonly [name: string]: Json } };
  /** Sends a code or a link to an address. */
  requestCode: { readonly email: string };
  /** Signs in with a mailed code. */
  verifyCode: { readonly email: string; readonly code: string };
  /** Returns rows. A filter is a column, an operator such as `eq`, and a value. */
  select: { readonly table: string; readonly filters: readonly Filter[]; readonly isSingle?: boolean };
  /** Returns the number of matching rows. */
  count: { readonly table: string; readonly filters: readonly Filter[] };
  insert: { readonly table: string; readonly rows: readonly { readonly [name: string]: Json }[] };
  update: {
    readonly table: string;
    readonly filters: readonly Filter[];
    readonly values: { readonly [name: string]: Json };
  };
  /** Joins a channel and returns once it is live. */
  subscribe: { readonly channel: string; readonly table: string };
  /** Returns the types of the changes that the channel has delivered: `INSERT`, `UPDATE`. */
  getChanges: { readonly channel: string };
  unsubscribe: { readonly channel: string };
}

export type ClientCommand = keyof ClientCommands;
export type Filter = readonly [column: string, operator: string, value: Json];

export type CallOutcome =
  | { readonly type: 'ok'; readonly value: Json }
  /** The command failed. */
  | { readonly type: 'refused'; readonly code: string | null; readonly message: string }
  /** The client does not support the command: audits that need it are not run. */
  | { readonly type: 'unsupported' };

/** A client of one user in one program, with its session in memory. */
export interface AdaptedClient {
  call<C extends ClientCommand>(command: C, args: ClientCommands[C]): Promise<CallOutcome>;
  close(): Promise<void>;
}

/**
 * A type of client under audit: a module that exports `createClientAdapter(): ClientAdapter`, or a process that
 * exchanges JSON lines.
 */
export interface ClientAdapter {
  /** Name and version, as the report shows them. */
  readonly name: string;
  open(project: { readonly url: string; readonly anonKey: string }): Promise<AdaptedClient>;
}

/** Runs a command, and converts an exception to a refusal. */
export async function toOutcome(task: () => Promise<Json | undefined>): Promise<CallOutcome> {
  try {
    return { type: 'ok', value: (await task()) ?? null };
  } catch (problem) {
    const { code, message } = Object(problem) as { readonly code?: unknown; readonly message?: unknown };
    return {
      type: 'refused',
      code: typeof code === 'string' ? code : null,
      message: typeof message === 'string' ? message : String(problem),
    };
  }
}
