import type { RestClient } from '../../../src/rest-client/index.ts';

/** The client of a call, and short forms of what most calls need. */
export interface CallContext {
  readonly rest: RestClient;
  /** The ids of `z_items` in order. */
  readonly items: () => ReturnType<typeof itemsOf>;
  readonly ids: (rows: readonly Readonly<Record<string, unknown>>[]) => readonly unknown[];
}

/** A call of the client, and what it yields on the seeded tables of the recorded schema. */
export type Call = readonly [
  name: string,
  call: (context: CallContext) => PromiseLike<unknown>,
  result: unknown,
];

/** A result that is an error. */
export class Failing {
  readonly code: string;
  readonly serverCode: string | null;
  constructor(code: string, serverCode: string | null) {
    this.code = code;
    this.serverCode = serverCode;
  }
}

export const failing = (code: string, serverCode: string | null) => new Failing(code, serverCode);

export const itemsOf = (rest: RestClient) => rest.from('z_items').select('id').order('id');
