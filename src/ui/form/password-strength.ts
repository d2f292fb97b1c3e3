/** 0 very weak … 4 strong. */
export type PasswordStrength = 0 | 1 | 2 | 3 | 4;

const common =
  /pass(word|wort)?|qwert[yz]|asdf|letmein|welcome|admin|login|iloveyou|dragon|monkey|football|abc123|hallo|schatz|geheim|(19|20)\d\d/g;

/**
 * An estimate from length and variety, with a discount for what guessers try first: well-known words, runs,
 * repetitions and parts of the reader's own address. The server has the last word.
 *
 * @param own texts that others know of the person, such as the e-mail address.
 */
export function estimateStrength(password: string, own: readonly string[] = []): PasswordStrength {
  const lower = password.toLowerCase();
  const known = own
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((part) => part.length > 3);
  const guessable = [common, ...known.map((part) => new RegExp(part, 'g'))].reduce(
    (rest, pattern) => rest.replace(pattern, ''),
    lower,
  );
  const bits = countSurprises(guessable) * Math.log2(alphabetSize(password));
  if (bits < 25) return 0;
  if (bits < 40) return 1;
  if (bits < 60) return 2;
  return bits < 80 ? 3 : 4;
}

/** How many characters do not follow from the one before: neither its repetition nor its neighbour. */
function countSurprises(text: string): number {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return codes.filter((code, index) => {
    const previous = codes[index - 1];
    return previous === undefined || Math.abs(code - previous) > 1;
  }).length;
}

function alphabetSize(text: string): number {
  const sets: readonly (readonly [RegExp, number])[] = [
    [/\p{Ll}/u, 26],
    [/\p{Lu}/u, 26],
    [/\d/, 10],
    [/[^\p{L}\d]/u, 20],
  ];
  return Math.max(
    2,
    sets.reduce((sum, [set, size]) => sum + (set.test(text) ? size : 0), 0),
  );
}
