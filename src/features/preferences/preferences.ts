import * as z from 'zod/mini';

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

/** When digests are sent and quiet hours are, in local time. Not on tables of the specification's columns alone. */
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

export type PreferenceChange = Partial<PreferenceSettings & Schedule>;

export type Preferences = PreferenceSettings &
  Partial<Schedule> & {
    readonly id: string;
    /** The row's version; null on a table without it. */
    readonly updated_at: string | null;
  };

/** The defaults of a new row (specification §3); the two global switches are on. */
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

/** The defaults while the server's row cannot be read: in memory only, never saved (specification §8). */
export const temporaryPreferences: Preferences = { ...defaultSettings, id: 'temp-id', updated_at: null };

const setting = z.boolean();

const rowSchema = z.object({
  id: z.string(),
  enable_email_notifications: setting,
  enable_in_app_notifications: setting,
  email_mentions: setting,
  email_edits: setting,
  email_comments: setting,
  email_invites: setting,
  email_digest_frequency: z.enum(digestFrequencies),
  in_app_mentions: setting,
  in_app_edits: setting,
  in_app_comments: setting,
  in_app_invites: setting,
  updated_at: z.nullish(z.string()),
  digest_hour: z.optional(z.number()),
  digest_weekday: z.optional(z.number()),
  time_zone: z.optional(z.string()),
  language: z.optional(z.string()),
  quiet_hours_start: z.nullish(z.string()),
  quiet_hours_end: z.nullish(z.string()),
  quiet_weekdays: z.optional(z.array(z.number())),
});

/**
 * A row of the table `notification_preferences`.
 *
 * @throws {Error} if it lacks a setting.
 */
export function parsePreferences(row: unknown): Preferences {
  const { updated_at = null, ...columns } = rowSchema.parse(row);
  // A table without the schedule's columns leaves them out.
  const present = Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== undefined),
  ) as Present<typeof columns>;
  return { ...present, updated_at };
}

/** The fields of an object without those that are undefined. */
type Present<Fields> = {
  [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
};

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
