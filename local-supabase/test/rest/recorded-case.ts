import { readdir, readFile } from 'node:fs/promises';

/** How the bearer token of a case is created; see the recordings' README. */
export interface TokenRecipe {
  readonly name: string;
  readonly alg?: string;
  readonly claims?: unknown;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly secret?: string;
  readonly signature?: string;
  readonly payloadAfterSigning?: unknown;
  readonly parts?: number;
  readonly authorization?: string;
  readonly raw?: string;
}

/** A request with the response of the real PostgREST. */
export interface RecordedCase {
  readonly id: string;
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly role: string;
  readonly token?: TokenRecipe;
  readonly apikey?: string;
  readonly before?: string;
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** The rows of each changed table as JSON, with numbers that may exceed 2^53. */
  readonly state?: string;
}

export interface RecordedFamily {
  readonly name: string;
  readonly cases: readonly RecordedCase[];
}

export const RECORDED = new URL('./recorded/', import.meta.url);

/** @param folder a folder of `cases-<family>.jsonl`. Default: the recordings in this folder. */
export async function readFamilies(folder: URL = RECORDED): Promise<readonly RecordedFamily[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.jsonl')).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(new URL(file, folder), 'utf8')).split('\n').filter((line) => line !== '');
      return {
        name: file.replace(/^cases-|\.jsonl$/g, ''),
        cases: lines.map(parseCase),
      };
    }),
  );
}

/** The state is the last member of its line. */
function parseCase(line: string): RecordedCase {
  const recorded = JSON.parse(line) as Omit<RecordedCase, 'state'> & { readonly state?: unknown };
  const { state, ...others } = recorded;
  const marker = ',"state":';
  return state === undefined
    ? others
    : { ...others, state: line.slice(line.lastIndexOf(marker) + marker.length, -1) };
}

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Normalizes JSON: sorts keys, strips white space and keeps the digits of numbers. Other texts stay unchanged.
 *
 * @param writeNumber normalizes a number.
 */
export function canonicalJson(
  text: string,
  writeNumber: (token: string) => string = (token) => token,
): string {
  try {
    JSON.parse(text);
    const exact = text.replaceAll(TOKENS, (token) =>
      token.startsWith('"') ? `"s${token.slice(1)}` : `"#${writeNumber(token)}"`,
    );
    return JSON.stringify(JSON.parse(exact), sortKeys);
  } catch {
    return text;
  }
}

/** The recordings lack trailing zeros of fractions in the state; integers are exact. */
export const canonicalState = (text: string): string =>
  canonicalJson(text, (token) => (/[.eE]/.test(token) ? String(Number(token)) : token));

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
