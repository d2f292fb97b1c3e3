import { invalid } from '../http/errors.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Reads a duration such as `24h` or `1h30m`, in milliseconds; `none` is 0. Throws 400 validation_failed. */
export function parseDuration(text: string): number {
  if (text === 'none' || text === '0') return 0;
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/.exec(text) ?? [];
  const parts = [...body.matchAll(part)];
  if (body === '' || parts.map(([whole]) => whole).join('') !== body)
    throw invalid(`invalid format for ban duration: time: invalid duration ${JSON.stringify(text)}`);
  const totalMs = parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0),
    0,
  );
  return sign === '-' ? -totalMs : totalMs;
}
