import { flushSync } from 'react-dom';
import { shortcutKeys } from '../actions/shortcuts.ts';
import { takeEarlyKeys } from './early-keys.ts';

/** After this time a key no longer belongs to what the user sees. */
const longestWaitMs = 5_000;

/**
 * Presses the last early key again for the shortcuts that listen now. If it is part of the words that were typed after the key
 * of the search, they go into its field: alone, a letter of them could archive a row.
 */
export function replayEarlyKeys(): void {
  const keys = takeEarlyKeys().filter(({ timeStamp }) => performance.now() - timeStamp < longestWaitMs);
  const searchAt = keys.findLastIndex(isSearchKey);
  const words = searchAt < 0 ? [] : keys.slice(searchAt + 1);
  if (words.length > 0 && words.every(isText)) search(keys[searchAt], words);
  else press(keys.at(-1));
}

const isSearchKey = ({ key }: KeyboardEvent): boolean => shortcutKeys.search.includes(key);

function isText({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return (key.length === 1 || key === 'Shift') && !ctrlKey && !metaKey;
}

function press(key: KeyboardEvent | undefined): void {
  if (key && !key.defaultPrevented) key.target?.dispatchEvent(new KeyboardEvent('keydown', key));
}

function search(key: KeyboardEvent | undefined, words: readonly KeyboardEvent[]): void {
  // The keys are replayed in an effect, during which React cannot open the search.
  queueMicrotask(() => {
    flushSync(() => press(key));
    const field = document.activeElement;
    if (!(field instanceof HTMLInputElement)) return;
    field.setRangeText(words.map((word) => (word.key === 'Shift' ? '' : word.key)).join(''));
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  });
}
