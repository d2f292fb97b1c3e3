import type { ExchangeOptions } from '../../../src/rest-client/wire/exchange.ts';
import { type RestClient, RestError } from '../../../src/rest-client/index.ts';

/** The client of a call, and short forms of what most calls need. */
export interface CallContext {
  readonly rest: RestClient;
  /** The ids of `z_items` in order. */
  readonly items: () => ReturnType<typeof itemsOf>;
  readonly ids: (rows: readonly Readonly<Record<string, unknown>>[]) => readonly unknown[];
  /** A client with the anonymous key and these tokens. */
  readonly connectAs: (getAccessToken: NonNullable<ExchangeOptions['getAccessToken']>) => RestClient;
  /** Returns Ada's access token. */
  readonly signInAda: () => Promise<string>;
  /** The rows of a table after the call, past every policy, by id. */
  readonly readBack: (table: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The error code of a refused call, and what `look` returns afterwards. */
export async function rejected(
  call: () => PromiseLike<unknown>,
  look: () => Promise<unknown>,
): Promise<unknown> {
  try {
    await call();
  } catch (problem) {
    if (problem instanceof RestError) return [problem.code, await look()];
    throw problem;
  }
  return ['no error', await look()];
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
