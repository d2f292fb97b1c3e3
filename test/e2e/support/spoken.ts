import type { Locator } from '@playwright/test';

/** Texts that differ from run to run, and their placeholders. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/new-[0-9a-f]{8}@/g, 'new@'],
  [/http:\/\/localhost:\d+/g, 'https://app'],
  [/\/join\/[0-9a-f]+/g, '/join/token'],
  [/(Last active|Zuletzt aktiv) .*/g, '$1 …'],
  [/(Signed in|Angemeldet am) [^"]*\d{4}.*/g, '$1 …'],
  // The server computes the time by its own clock. YAML quotes a text with a colon.
  [/"?([^":\n]*)\b(Nothing is waiting|Next:|Zurzeit wartet|Nächste:).*/g, '$1…'],
  // The key of an authenticator app.
  [/\b([A-Z2-7]{4} ){3,}[A-Z2-7]{1,4}\b/g, 'KEY'],
];

/**
 * What a screen reader reads of a part of a page: a line for each element with its role, name and state, in order, without
 * addresses of links, empty live regions, and texts that the name of their link or button has already.
 */
export async function spokenText(part: Locator): Promise<string> {
  const spoken: string[] = [];
  let namedDepth = Infinity;
  for (const line of (await part.ariaSnapshot()).split('\n')) {
    const depth = line.search(/\S/);
    if (depth > namedDepth) continue;
    namedDepth = Infinity;
    const item = unquote(line.trim().replace(/^- /, ''));
    if (item.startsWith('/url:') || /^(status|alert|text: "")$/.test(item)) continue;
    // Screen readers read only the selected option of a list.
    if (item.startsWith('option ') && !item.endsWith('[selected]')) continue;
    const [named] = /^(link|button) "([^"\\]|\\.)*"( \[\w+\])*/.exec(item) ?? [];
    if (named !== undefined) namedDepth = depth;
    spoken.push(' '.repeat(depth) + (named ?? item));
  }
  return `${changing.reduce((text, [pattern, by]) => text.replace(pattern, by), spoken.join('\n'))}\n`;
}

/** YAML puts an item with a colon in it into quotes. */
function unquote(item: string): string {
  const [, quoted, rest = ''] = /^'(.*)'(:?.*)$/.exec(item) ?? [];
  return quoted === undefined ? item : quoted.replaceAll("''", "'") + rest;
}
