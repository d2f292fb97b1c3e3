import { bytesToHex } from '@noble/hashes/utils.js';
import { encodeUtf8 } from '../../platform/bytes.ts';
import { formatFloat, formatValue, typeName, type Value } from './values.ts';

const directive = /%([-+# 0]*)(\d+)?(?:\.(\d*))?([\s\S])?/gu;

/** Formats as Go's fmt.Sprintf; verbs v, s, q, d, x, X, o, b, c, U, t, e, f, g and %. */
export function sprintf(format: string, args: readonly Value[]): string {
  let next = 0;
  const text = format.replaceAll(
    directive,
    (
      _,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      verb: string | undefined,
    ) => {
      if (verb === undefined) return '%!(NOVERB)';
      if (verb === '%') return '%';
      if (next >= args.length) return `%!${verb}(BADINDEX)`.replace('BADINDEX', 'MISSING');
      const value = args[next++];
      const places = precision === undefined ? undefined : Number(precision);
      return pad(formatVerb(verb, value, flags, places), flags, Number(width ?? 0), verb);
    },
  );
  const extra = args.slice(next).map((value) => describe(value));
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`;
}

const describe = (value: Value): string =>
  value === null || value === undefined ? '<nil>' : `${typeName(value)}=${formatValue(value)}`;

const mismatch = (verb: string, value: Value): string => `%!${verb}(${describe(value)})`;

function pad(text: string, flags: string, width: number, verb: string): string {
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (!flags.includes('0') || 'sqv'.includes(verb)) return ' '.repeat(missing) + text;
  const [sign = ''] = /^[+-]?/.exec(text) ?? [];
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}

const signed = (text: string, flags: string): string => {
  if (text.startsWith('-')) return text;
  if (flags.includes('+')) return `+${text}`;
  return flags.includes(' ') ? ` ${text}` : text;
};

function formatVerb(verb: string, value: Value, flags: string, precision: number | undefined): string {
  if (Array.isArray(value) && verb !== 'v')
    return `[${value.map((item) => formatVerb(verb, item, flags, precision)).join(' ')}]`;
  if (verb === 'v') return typeof value === 'bigint' ? signed(String(value), flags) : formatValue(value);
  if (typeof value === 'string') return formatString(verb, value, precision);
  if (typeof value === 'bigint') return formatInteger(verb, value, flags);
  if (typeof value === 'number') return formatNumber(verb, value, flags, precision);
  return typeof value === 'boolean' && verb === 't' ? String(value) : mismatch(verb, value);
}

function formatString(verb: string, value: string, precision: number | undefined): string {
  const text = precision === undefined ? value : Array.from(value).slice(0, precision).join('');
  switch (verb) {
    case 's':
      return text;
    case 'q':
      return quote(text);
    case 'x':
      return bytesToHex(encodeUtf8(text));
    case 'X':
      return bytesToHex(encodeUtf8(text)).toUpperCase();
    default:
      return mismatch(verb, value);
  }
}

/** Quotes as Go does for printable text and the usual control characters. */
const quote = (text: string): string =>
  JSON.stringify(text).replaceAll(/\\u00([01][\da-f])/g, (_, hex: string) => `\\x${hex}`);

function formatInteger(verb: string, value: bigint, flags: string): string {
  switch (verb) {
    case 'd':
      return signed(String(value), flags);
    case 'x':
      return value.toString(16);
    case 'X':
      return value.toString(16).toUpperCase();
    case 'o':
      return value.toString(8);
    case 'b':
      return value.toString(2);
    case 'c':
      return String.fromCodePoint(Number(value));
    case 'q':
      return `'${String.fromCodePoint(Number(value))}'`;
    case 'U':
      return `U+${value.toString(16).toUpperCase().padStart(4, '0')}`;
    default:
      return mismatch(verb, value);
  }
}

const withTwoDigits = (exponential: string): string =>
  exponential.replace(/e([+-])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);

function formatNumber(verb: string, value: number, flags: string, precision: number | undefined): string {
  switch (verb) {
    case 'f':
    case 'F':
      return signed(value.toFixed(precision ?? 6), flags);
    case 'e':
      return signed(withTwoDigits(value.toExponential(precision ?? 6)), flags);
    case 'g':
      return signed(
        formatFloat(precision === undefined ? value : Number(value.toPrecision(Math.max(precision, 1)))),
        flags,
      );
    default:
      return mismatch(verb, value);
  }
}
