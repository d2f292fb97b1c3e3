export type CronSchedule =
  | { readonly type: 'seconds'; readonly every: number }
  | {
      readonly type: 'minutes';
      readonly fields: readonly ReadonlySet<number>[];
      readonly isEitherDay: boolean;
    }
  | { readonly type: 'start' };

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly lowest: number;
  readonly highest: number;
  readonly names?: readonly string[];
}

const minute: Field = { lowest: 0, highest: 59 };
const hour: Field = { lowest: 0, highest: 23 };
const dayOfMonth: Field = { lowest: 1, highest: 31 };
const month: Field = { lowest: 1, highest: 12, names: ['', ...months] };
const dayOfWeek: Field = { lowest: 0, highest: 7, names: days };

/**
 * Parses a schedule: five fields of cron, `<n> seconds`, or a macro such as `@daily`.
 *
 * @throws {Error} for any other text.
 */
export function parseCronSchedule(text: string): CronSchedule {
  const schedule = text.trim().toLowerCase();
  if (schedule === '@reboot') return { type: 'start' };
  const [, seconds] = /^([1-9]|[1-5]\d)\s+seconds?$/.exec(schedule) ?? [];
  if (seconds !== undefined) return { type: 'seconds', every: Number(seconds) };
  const parts = (macros[schedule] ?? schedule).split(/\s+/);
  const [minutes, hours, monthDays, monthNames, weekDays, more] = parts;
  if (minutes === undefined || hours === undefined || monthDays === undefined) throw invalid(text);
  if (monthNames === undefined || weekDays === undefined || more !== undefined) throw invalid(text);
  const week = parseField(weekDays, dayOfWeek);
  if (week.has(7)) week.add(0);
  return {
    type: 'minutes',
    fields: [
      parseField(minutes, minute),
      parseField(hours, hour),
      monthDays === '$' ? new Set([LAST_DAY]) : parseField(monthDays, dayOfMonth),
      parseField(monthNames, month),
      week,
    ],
    // As in cron: if both kinds of days are restricted, either may match.
    isEitherDay: !monthDays.startsWith('*') && !weekDays.startsWith('*'),
  };
}

/** The last day of each month. */
const LAST_DAY = -1;

const invalid = (text: string): Error => new Error(`"${text}" is not a schedule of pg_cron`);

function parseField(text: string, { lowest, highest, names = [] }: Field): Set<number> {
  const read = (value: string): number => {
    const named = value === '' ? -1 : names.indexOf(value);
    const number = named === -1 ? Number(value) : named;
    if (value === '' || !Number.isInteger(number) || number < lowest || number > highest) throw invalid(text);
    return number;
  };
  const numbers = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step] = part.split('/');
    const [from = '', to] = range === '*' ? [String(lowest), String(highest)] : range.split('-');
    const start = read(from);
    const end = to === undefined ? (step === undefined ? start : highest) : read(to);
    const width = step === undefined ? 1 : Number(step);
    if (!Number.isInteger(width) || width < 1) throw invalid(text);
    for (let number = start; number <= end; number += width) numbers.add(number);
  }
  return numbers;
}

/** Whether a schedule includes the minute of a time, in UTC. */
export function isDueAt(schedule: Extract<CronSchedule, { type: 'minutes' }>, timeMs: number): boolean {
  const time = new Date(timeMs);
  const [minutes, hours, monthDays, monthNumbers, weekDays] = schedule.fields;
  const isLastDay = new Date(timeMs + 86_400_000).getUTCDate() === 1;
  const isMonthDay =
    monthDays?.has(time.getUTCDate()) === true || (isLastDay && monthDays?.has(LAST_DAY) === true);
  const isWeekDay = weekDays?.has(time.getUTCDay()) === true;
  return (
    minutes?.has(time.getUTCMinutes()) === true &&
    hours?.has(time.getUTCHours()) === true &&
    monthNumbers?.has(time.getUTCMonth() + 1) === true &&
    (schedule.isEitherDay ? isMonthDay || isWeekDay : isMonthDay && isWeekDay)
  );
}
