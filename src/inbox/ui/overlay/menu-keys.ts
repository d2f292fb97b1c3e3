export interface TypedLetters {
  readonly text: string;
  /** When the last one was typed, in milliseconds; the origin of the times does not matter. */
  readonly atMs: number;
}

export interface MenuFocus {
  /** The index of the item to focus; null: the key moves nothing. */
  readonly index: number | null;
  readonly typed: TypedLetters | null;
}

/** A letter that is typed after a longer pause begins a new word. */
const pauseMs = 500;

/**
 * Where a key moves the focus in a menu, after the menu pattern of WAI-ARIA: arrows go round, Home and End go to the ends,
 * letters to the next item that begins with them.
 *
 * @param labels the texts of the items, in their order.
 * @param current the index of the focused item; -1: none.
 */
export function moveInMenu(
  labels: readonly string[],
  current: number,
  key: string,
  atMs: number,
  typed: TypedLetters | null,
): MenuFocus {
  const { length } = labels;
  const to = (index: number): MenuFocus => ({
    index: length > 0 ? (index + length) % length : null,
    typed: null,
  });
  if (key === 'ArrowDown') return to(current + 1);
  if (key === 'ArrowUp') return to(current < 0 ? -1 : current - 1);
  if (key === 'Home') return to(0);
  if (key === 'End') return to(-1);
  if (key.length !== 1) return { index: null, typed };
  const earlier = typed && atMs - typed.atMs < pauseMs ? typed.text : '';
  // A space activates the item, unless it continues a word.
  if (key === ' ' && earlier === '') return { index: null, typed: null };
  const text = earlier + key.toLocaleLowerCase();
  // The same letter again moves to the next item with it.
  const letter = text.charAt(0);
  const isRepeated = text === letter.repeat(text.length);
  const wanted = isRepeated ? letter : text;
  const from = isRepeated ? current + 1 : Math.max(0, current);
  const found = labels
    .map((_, offset) => (from + offset) % length)
    .find((index) => labels[index]?.trim().toLocaleLowerCase().startsWith(wanted));
  return { index: found ?? null, typed: { text, atMs } };
}
