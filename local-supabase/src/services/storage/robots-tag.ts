import { invalidRequest } from './storage-error.ts';

const SIMPLE: ReadonlySet<string> = new Set([
  'all',
  'noindex',
  'nofollow',
  'none',
  'nosnippet',
  'indexifembedded',
  'notranslate',
  'noimageindex',
]);
const WITH_VALUE = /^(max-snippet|max-image-preview|max-video-preview|unavailable_after):\s*(.*)$/;
const PREVIEWS: ReadonlySet<string> = new Set(['none', 'standard', 'large']);
/** A date contains commas, which otherwise separate rules. */
const RULES = /\s*(unavailable_after:(?:(?!,\s*(?:[\w-]+:|[a-z]+\s*(?:,|$))).)*|[^,]*)(?:,|$)/gy;

const refused = (reason: string) =>
  invalidRequest(`Invalid X-Robots-Tag header: ${reason}`, 'invalid_x_robots_tag');

/** Checks the rules of `X-Robots-Tag`. @throws {StorageError} for an invalid rule. */
export function checkRobotsTag(header: string): void {
  const rules = header.trim();
  const found = [...rules.matchAll(RULES)].filter(({ index }) => index < rules.length);
  for (const [match] of found) checkRule(match.replace(/,$/, '').trim());
}

function checkRule(rule: string): void {
  if (rule === '') throw refused('X-Robots-Tag header contains empty rule');
  const [, name, value = ''] = WITH_VALUE.exec(rule) ?? [];
  if (name !== undefined) checkValue(name, value.trim());
  else if (!SIMPLE.has(rule)) checkAgentRule(rule);
}

/** Checks a rule after the name of its user agent. */
function checkAgentRule(rule: string): void {
  const colon = rule.indexOf(':');
  if (colon === -1) throw refused(`Invalid X-Robots-Tag rule: "${rule}"`);
  const rest = rule.slice(colon + 1).trim();
  if (rest === '')
    throw refused(`X-Robots-Tag user agent "${rule.slice(0, colon).trim()}" has no rules specified`);
  checkRobotsTag(rest);
}

function checkValue(name: string, value: string): void {
  if (value === '') throw refused(`X-Robots-Tag rule "${name}" requires a value`);
  const wanted = (what: string) => refused(`X-Robots-Tag "${name}" value must be ${what}, got: "${value}"`);
  switch (name) {
    case 'max-image-preview':
      if (!PREVIEWS.has(value)) throw wanted('one of: none, standard, large');
      return;
    case 'unavailable_after':
      if (Number.isNaN(Date.parse(value))) throw wanted('a valid date');
      return;
    default:
      if (!/^-?\d+$/.test(value) || Number(value) < -1) throw wanted('an integer >= -1');
  }
}
