import { readFileSync, readdirSync } from 'node:fs';
import { isExactArray, isExactObject, parseExactJson, stringifyExactJson } from './exact-json.ts';
import type { ExactJson } from './exact-json.ts';

/** The recorded responses of Supabase Realtime 2.129.8 on PostgreSQL 17.11, frame by frame. */
const FOLDER = new URL('./recorded/', import.meta.url);

type Fields = { readonly [key: string]: ExactJson };

export interface Step extends Fields {
  readonly do: string;
}

/** One recorded script and the responses of the real server. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** The tenant settings that differ from the defaults; numbers are exact JSON. */
  readonly tenant: Fields;
  readonly steps: readonly Step[];
  readonly frames: readonly Fields[];
}

export function loadScenarios(): Scenario[] {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted();
  return files.flatMap((name) =>
    readText(name)
      .split('\n')
      .filter((line) => line !== '')
      .map(parseScenario),
  );
}

export const readSetupSql = (): string => readText('setup.sql');

/** The header, claims and key of each token in scenarios. */
export interface TokenRecipe {
  readonly header: { readonly kid?: string };
  readonly claims: { readonly [claim: string]: string | number };
  readonly key: 'tenant secret' | 'another secret';
}

export const readTokenRecipes = (): Record<string, TokenRecipe> =>
  JSON.parse(readText('tokens.json')) as Record<string, TokenRecipe>;

const readText = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

function parseScenario(line: string): Scenario {
  const value = parseExactJson(line);
  if (!isExactObject(value) || !isExactArray(value['steps']) || !isExactArray(value['frames'])) {
    throw new Error(`Not a scenario: ${line.slice(0, 80)}`);
  }
  const settings = isExactObject(value['settings']) ? value['settings'] : {};
  return {
    id: textOf(value['id']),
    title: textOf(value['title']),
    tenant: isExactObject(settings['tenant']) ? settings['tenant'] : {},
    steps: value['steps'].filter(isStep),
    frames: value['frames'].filter(isExactObject),
  };
}

const isStep = (value: ExactJson): value is Step => isExactObject(value) && typeof value['do'] === 'string';

export const textOf = (value: ExactJson | undefined): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : stringifyExactJson(value);
};

export const numberOf = (value: ExactJson | undefined, otherwise = 0): number =>
  value === undefined || value === null ? otherwise : Number(textOf(value));
