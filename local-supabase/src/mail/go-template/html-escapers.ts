import { encodeUtf8 } from '../../platform/bytes.ts';
import { sprint } from './functions.ts';
import type { Value } from './values.ts';

/** What Go prints instead of a value that is unsafe in its context. */
export const failsafe = 'ZgotmplZ';

/** Prints a value; nil and missing values print nothing. */
export const printValue = (value: Value): string =>
  value === null || value === undefined ? '' : sprint(value);

const markup: Readonly<Record<string, string>> = {
  '\u0000': '\ufffd',
  '"': '&#34;',
  '&': '&amp;',
  "'": '&#39;',
  '+': '&#43;',
  '<': '&lt;',
  '>': '&gt;',
};

/** Escapes for text and for quoted attribute values. */
export const escapeHtml = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000"&'+<>]/g, (char) => markup[char] ?? char);

export function escapeUnquoted(text: string): string {
  if (text === '') return failsafe;
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000\t-\r "&'+<=>`\ufdd0-\ufdef\ufff0-\uffff]/g, (char) => {
    if (char === '\u0000') return '&#xfffd;';
    if (char >= '\ufdd0') return `&#x${char.charCodeAt(0).toString(16)};`;
    return markup[char] ?? `&#${char.charCodeAt(0)};`;
  });
}

const hasSafeScheme = (url: string): boolean => {
  const [, scheme] = /^([^:]*):/.exec(url) ?? [];
  return scheme === undefined || scheme.includes('/') || /^(?:https?|mailto)$/i.test(scheme);
};

/** Accepts relative URLs and those of http, https and mailto. */
export const filterUrl = (url: string): string => (hasSafeScheme(url) ? url : `#${failsafe}`);

const encodeBytes = (text: string): string =>
  Array.from(encodeUtf8(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Percent-encodes the characters that a URL must not contain; reserved characters and valid escapes stay. */
export const normalizeUrl = (url: string): string =>
  url.replaceAll(/%(?![\da-f]{2})|[^%\w!#$&*+,/:;=?@[\].~-]+/gi, encodeBytes);

export const escapeUrlPart = (text: string): string => text.replaceAll(/[^\w.~-]+/g, encodeBytes);

export const filterSrcset = (text: string): string =>
  text
    .split(',')
    .map((candidate) => {
      const [, before = '', url = '', after = ''] =
        /^([\t\n\f\r ]*)([^\t\n\f\r ]*)([\s\S]*)$/.exec(candidate) ?? [];
      const isPlain = hasSafeScheme(url) && /^[\t\n\f\r a-z\d]*$/i.test(after);
      return isPlain ? `${before}${normalizeUrl(url)}${after}` : `#${failsafe}`;
    })
    .join(',');

/** Accepts plain CSS values: numbers, colors, names. */
export function filterCssValue(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000"'()/;@[\\\]`{}<>]|--/.test(text)) return failsafe;
  const name = text.replaceAll(/[^\w-]/g, '').toLowerCase();
  return name.includes('expression') || name.includes('mozbinding') ? failsafe : text;
}
