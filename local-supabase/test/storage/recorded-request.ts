import { readdir, readFile } from 'node:fs/promises';

/** A text, a text that is repeated up to a length, or bytes in base64. */
export type RecordedBody =
  | string
  | { readonly repeat: string; readonly length: number }
  | { readonly base64: string }
  | null;

export interface RecordedResponse {
  readonly status: number;
  readonly type: string;
  readonly contentDisposition: string | null;
  readonly contentRange: string | null;
  readonly cacheControl: string | null;
  readonly body: unknown;
  /** Further headers; null for absent ones. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** The caller whose token a request has: `user` has a subject and no policy, `bad` is not a token. */
export type RecordedCaller = 'service' | 'anon' | 'user' | 'other' | 'bad' | null;

/**
 * A request with the response of the real storage service. Path, headers and body may contain `{{path:S040}}`,
 * `{{token:S139}}` or `{{location:T1}}`: the URL, the token or the `Location` in an earlier response.
 */
export interface RecordedRequest {
  readonly id: string;
  readonly title: string;
  readonly as: RecordedCaller;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RecordedBody;
  readonly response: RecordedResponse;
}

/** SQL that the database's owner runs between two requests, such as a policy. */
export interface RecordedSql {
  readonly id: string;
  readonly sql: string;
}

export type RecordedStep = RecordedRequest | RecordedSql;

/** Requests that build on each other, starting with an empty storage. */
export interface RecordedSequence {
  readonly name: string;
  readonly file: URL;
  readonly steps: readonly RecordedStep[];
}

export const RECORDED = new URL('./recorded/', import.meta.url);

/** @param folder a folder of `cases*.jsonl`. */
export async function readSequences(folder: URL = RECORDED): Promise<readonly RecordedSequence[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const file = new URL(name, folder);
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      const steps = lines.map((line) => JSON.parse(line) as RecordedStep);
      return { name: name.replace(/^cases-?|\.jsonl$/g, '') || 'cases', file, steps };
    }),
  );
}
