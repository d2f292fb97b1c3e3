export type Resolution = 'merge-duplicates' | 'ignore-duplicates';
export type Representation = 'representation' | 'minimal' | 'headers-only';
export type CountKind = 'exact' | 'planned' | 'estimated';

/** The `Prefer` header (RFC 7240). */
export interface Preferences {
  readonly resolution: Resolution | undefined;
  readonly representation: Representation | undefined;
  readonly count: CountKind | undefined;
  readonly transaction: 'commit' | 'rollback' | undefined;
  readonly missing: 'default' | 'null' | undefined;
  readonly handling: 'strict' | 'lenient' | undefined;
  readonly timezone: string | undefined;
  readonly maxAffected: bigint | undefined;
  /** Preferences with an unknown name or value. */
  readonly invalid: readonly string[];
}

const VALUES = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  missing: ['default', 'null'],
  handling: ['strict', 'lenient'],
} as const;

const ACCEPTED = new Set(
  Object.entries(VALUES).flatMap(([name, values]) => values.map((value) => `${name}=${value}`)),
);

/**
 * Parses the header; the first of several values counts.
 *
 * @param timezones the accepted names; null leaves the check to PostgreSQL.
 * @param allowsTransaction whether `tx=` is applied (`db-tx-end`).
 */
export function parsePreferences(
  header: string | undefined,
  timezones: ReadonlySet<string> | null,
  allowsTransaction: boolean,
): Preferences {
  const preferences = header === undefined ? [] : header.split(',').map((one) => one.trim());
  const pick = <Value extends string>(name: string, values: readonly Value[]): Value | undefined => {
    const found = preferences
      .map((preference) => values.find((value) => preference === `${name}=${value}`))
      .find((value) => value !== undefined);
    return found;
  };
  const after = (prefix: string) =>
    preferences.find((preference) => preference.startsWith(prefix))?.slice(prefix.length);
  const timezone = after('timezone=');
  const isTimezone = timezone !== undefined && (timezones === null || timezones.has(timezone));
  return {
    resolution: pick('resolution', VALUES.resolution),
    representation: pick('return', VALUES.return),
    count: pick('count', VALUES.count),
    transaction: allowsTransaction ? pick('tx', VALUES.tx) : undefined,
    missing: pick('missing', VALUES.missing),
    handling: pick('handling', VALUES.handling),
    timezone: isTimezone ? timezone : undefined,
    maxAffected: readMaxAffected(after('max-affected=')),
    invalid: preferences.filter(
      (preference) =>
        !ACCEPTED.has(preference) &&
        !(preference.startsWith('timezone=') && isTimezone) &&
        !preference.startsWith('max-affected='),
    ),
  };
}

function readMaxAffected(source: string | undefined): bigint | undefined {
  return source !== undefined && /^\s*-?\d+\s*$/.test(source)
    ? BigInt.asIntN(64, BigInt(source.trim()))
    : undefined;
}

/** The value of `Preference-Applied`; undefined if no preference was applied. */
export function preferenceApplied(preferences: Partial<Preferences>): string | undefined {
  const { resolution, missing, representation, count, transaction, handling, timezone, maxAffected } =
    preferences;
  const applied = [
    resolution && `resolution=${resolution}`,
    missing && `missing=${missing}`,
    representation && `return=${representation}`,
    count && `count=${count}`,
    transaction && `tx=${transaction}`,
    handling && `handling=${handling}`,
    timezone !== undefined && `timezone=${timezone}`,
    handling === 'strict' && maxAffected !== undefined && `max-affected=${maxAffected}`,
  ].filter((part): part is string => typeof part === 'string');
  return applied.length > 0 ? applied.join(', ') : undefined;
}
