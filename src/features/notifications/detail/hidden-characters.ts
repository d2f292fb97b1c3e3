/** Control, zero-width and bidirectional characters, which could disguise an address. */
const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with hidden characters written as `<U+202E>`. */
export function showHiddenCharacters(text: string): string {
  return text.replace(
    hiddenCharacters,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}
