/**
 * The approximate search by which PostgREST suggests names (the FuzzySet algorithm): finds candidates that share
 * 3-grams, or else 2-grams, with the query, and ranks them by Levenshtein distance.
 */
export interface FuzzyMatch {
  readonly score: number;
  readonly value: string;
}

const GRAM_SIZES = [3, 2] as const;
const MAX_CANDIDATES = 50;
export const DEFAULT_MIN_SCORE = 0.33;

/** Returns the best matches first, or only the exact match, compared without regard to case. */
export function fuzzySearch(
  values: readonly string[],
  query: string,
  minScore = DEFAULT_MIN_SCORE,
): readonly FuzzyMatch[] {
  const known = new Map<string, string>();
  for (const value of values) if (!known.has(value.toLowerCase())) known.set(value.toLowerCase(), value);
  const wanted = query.toLowerCase();
  const exact = known.get(wanted);
  if (exact !== undefined) return [{ score: 1, value: exact }];
  for (const size of GRAM_SIZES) {
    const found = search(known, wanted, size).filter(({ score }) => score >= minScore);
    if (found.length > 0) return found;
  }
  return [];
}

export const bestMatch = (values: readonly string[], query: string, minScore?: number): string | undefined =>
  fuzzySearch(values, query, minScore)[0]?.value;

function search(known: ReadonlyMap<string, string>, query: string, size: number): FuzzyMatch[] {
  const wanted = countGrams(query, size);
  const candidates = [...known]
    .map(([key, value]) => ({ key, value, score: cosine(wanted, countGrams(key, size)) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_CANDIDATES);
  return candidates
    .map(({ key, value }) => ({ value, score: similarity(query, key) }))
    .toSorted((a, b) => b.score - a.score);
}

function countGrams(value: string, size: number): ReadonlyMap<string, number> {
  const text = `-${value.replaceAll(/[^\p{L}\p{N} ,]/gu, '')}-`.padEnd(size, '-');
  const grams = new Map<string, number>();
  for (let index = 0; index + size <= text.length; index += 1) {
    const gram = text.slice(index, index + size);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}

function cosine(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let product = 0;
  for (const [gram, count] of one) product += count * (other.get(gram) ?? 0);
  return product / (norm(one) * norm(other));
}

const norm = (grams: ReadonlyMap<string, number>): number =>
  Math.sqrt([...grams.values()].reduce((sum, count) => sum + count * count, 0));

function similarity(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  return 1 - levenshtein(one, other) / longest;
}

function levenshtein(one: string, other: string): number {
  let distances = Array.from({ length: other.length }, (_, index) => index + 1);
  let distance = other.length;
  for (const [row, character] of one.split('').entries()) {
    let replaced = row;
    distance = row + 1;
    distances = distances.map((removed, column) => {
      const cost = character === other[column] ? 0 : 1;
      distance = Math.min(replaced + cost, removed + 1, distance + 1);
      replaced = removed;
      return distance;
    });
  }
  return distance;
}
