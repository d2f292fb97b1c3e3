import { invalid } from '../http/errors.ts';

/** Each in milliseconds; a microsecond is spelled with either of the two signs that look like mu. */
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d+\.?\d*|\.\d+)([^\d.]*)/gy;
/** Go stores nanoseconds in 64 bits. */
const maxMs = 2 ** 63 / 1e6;

/** Reads a duration such as `24h` or `1h30m`, in milliseconds; `none` is 0. Throws 400 validation_failed. */
export function parseDuration(text: string): number {
  if (text === 'none' || text === '0') return 0;
  const body = text.replace(/^[+-]/, '');
  const refuse = (problem: string) =>
    invalid(`invalid format for ban duration: time: ${problem} ${JSON.stringify(text)}`);
  let totalMs = 0;
  const rest = body.replaceAll(part, (_, amount: string, unit: string) => {
    const each = unitMs[unit];
    if (unit === '') throw refuse('missing unit in duration');
    if (each === undefined) throw refuse(`unknown unit ${JSON.stringify(unit)} in duration`);
    totalMs += Number(amount) * each;
    return '';
  });
  if (body === '' || rest !== '' || totalMs >= maxMs) throw refuse('invalid duration');
  return text.startsWith('-') ? -totalMs : totalMs;
}
