export const preferenceKinds = ['mentions', 'edits', 'comments', 'invites'] as const;
export type PreferenceKind = (typeof preferenceKinds)[number];

export const preferenceChannels = ['email', 'in_app'] as const;
export type PreferenceChannel = (typeof preferenceChannels)[number];

export const digestFrequencies = ['never', 'instant', 'hourly', 'daily', 'weekly'] as const;
export type DigestFrequency = (typeof digestFrequencies)[number];

/** The user's settings, named as the columns. */
export type PreferenceSettings = Readonly<
  Record<`${PreferenceChannel}_${PreferenceKind}` | `enable_${PreferenceChannel}_notifications`, boolean>
> & { readonly email_digest_frequency: DigestFrequency };

/** When digests are sent and quiet hours are, in local time. A table with the basic columns alone lacks them. */
export interface Schedule {
  /** 0–23. */
  readonly digest_hour: number;
  /** ISO 8601: 1 is Monday. */
  readonly digest_weekday: number;
  /** IANA name. */
  readonly time_zone: string;
  /** Of emails: BCP 47. */
  readonly language: string;
  /** Local time, `HH:MM:SS`; null: no quiet hours. */
  readonly quiet_hours_start: string | null;
  readonly quiet_hours_end: string | null;
  /** The days on which quiet hours begin; ISO 8601: 1 is Monday. */
  readonly quiet_weekdays: number[];
}

/** What other users see. A table with the basic columns alone lacks them. */
export interface Privacy {
  /** Whether contacts see that the user is online; the database enforces it. */
  readonly show_online: boolean;
}

export type PreferenceChange = Partial<PreferenceSettings & Schedule & Privacy>;

export type Preferences = PreferenceSettings &
  Partial<Schedule & Privacy> & {
    readonly id: string;
    /** The row's version; null on a table without it. */
    readonly updated_at: string | null;
  };

/** The defaults of a new row (conformance/protocol/product.md#content-of-notifications); the two global switches are on. */
export const defaultSettings: PreferenceSettings = {
  enable_email_notifications: true,
  enable_in_app_notifications: true,
  email_mentions: true,
  email_edits: false,
  email_comments: true,
  email_invites: true,
  email_digest_frequency: 'daily',
  in_app_mentions: true,
  in_app_edits: true,
  in_app_comments: true,
  in_app_invites: true,
};

/** The defaults while the server's row cannot be read: in memory only, never saved (conformance/protocol/product.md#preferences). */
export const temporaryPreferences: Preferences = { ...defaultSettings, id: 'temp-id', updated_at: null };

const isBoolean = (value: unknown) => typeof value === 'boolean';
const isNumber = (value: unknown) => typeof value === 'number';
const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);

type Check = (value: unknown) => boolean;

/** Checked by hand: every signed-in page loads this module, and a schema library would be half of its bytes. */
const settingChecks: Readonly<Record<keyof PreferenceSettings | 'id', Check>> = {
  id: isText,
  enable_email_notifications: isBoolean,
  enable_in_app_notifications: isBoolean,
  email_mentions: isBoolean,
  email_edits: isBoolean,
  email_comments: isBoolean,
  email_invites: isBoolean,
  email_digest_frequency: (value) => digestFrequencies.some((frequency) => frequency === value),
  in_app_mentions: isBoolean,
  in_app_edits: isBoolean,
  in_app_comments: isBoolean,
  in_app_invites: isBoolean,
};

/** A table without these columns leaves them out. */
const optionalChecks: Readonly<Record<keyof Schedule | keyof Privacy | 'updated_at', Check>> = {
  updated_at: isTextOrNull,
  digest_hour: isNumber,
  digest_weekday: isNumber,
  time_zone: isText,
  language: isText,
  quiet_hours_start: isTextOrNull,
  quiet_hours_end: isTextOrNull,
  quiet_weekdays: (value) => Array.isArray(value) && value.every(isNumber),
  show_online: isBoolean,
};

/**
 * A row of the table `notification_preferences`.
 *
 * @throws {TypeError} if it lacks a setting, or a column has another type.
 */
export function parsePreferences(row: unknown): Preferences {
  const fields: Readonly<Record<string, unknown>> = Object(row);
  const columns: Record<string, unknown> = {};
  const take = (name: string, check: Check, isOptional: boolean) => {
    const value = fields[name];
    if (isOptional && value === undefined) return;
    if (!check(value)) throw new TypeError(`Not a row of notification_preferences: ${name}`);
    columns[name] = value;
  };
  for (const [name, check] of Object.entries(settingChecks)) take(name, check, false);
  for (const [name, check] of Object.entries(optionalChecks)) take(name, check, true);
  // The checks above are those of the type's fields.
  return { updated_at: null, ...columns } as unknown as Preferences;
}

export function isTemporary(preferences: Preferences | null | undefined): boolean {
  return preferences?.id === temporaryPreferences.id;
}

/** Whether a kind is notified about. The global switch disables the kinds without changing them. */
export function isEffective(
  preferences: PreferenceSettings,
  channel: PreferenceChannel,
  kind: PreferenceKind,
): boolean {
  return preferences[`enable_${channel}_notifications`] && preferences[`${channel}_${kind}`];
}

/** The newer of two copies of the row; without versions, the one that arrived later. */
export function newerPreferences(known: Preferences | null | undefined, later: Preferences): Preferences {
  const isOutdated =
    known?.id === later.id &&
    known.updated_at !== null &&
    later.updated_at !== null &&
    later.updated_at < known.updated_at;
  return isOutdated ? known : later;
}
