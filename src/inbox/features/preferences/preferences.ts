import {
  boolean,
  listOf,
  nullish,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  string,
} from 'supabase-protocol-clients/platform/schema';

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
  /** Local time, `HH:MM:SS`; null: no quiet hours. */
  readonly quiet_hours_start: string | null;
  readonly quiet_hours_end: string | null;
  /** The days on which quiet hours begin; ISO 8601: 1 is Monday. */
  readonly quiet_weekdays: number[];
}

/** The choices for the kinds that the team registered. A table with the basic columns alone lacks them. */
export interface KindChoices {
  /** Choices by the name of the kind; a kind without a choice has its default. */
  readonly kinds: Readonly<Record<string, KindChoice>>;
}
export type KindChoice = { readonly [Channel in PreferenceChannel]?: boolean | undefined };

type Optional = Schedule & KindChoices;

export type PreferenceChange = Partial<PreferenceSettings & Optional>;

type OptionalColumns = { readonly [K in keyof Optional]?: Optional[K] | undefined };

export type Preferences = PreferenceSettings &
  OptionalColumns & {
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

/** A table without the optional columns leaves them out. */
const preferencesRow = object({
  id: string,
  enable_email_notifications: boolean,
  enable_in_app_notifications: boolean,
  email_mentions: boolean,
  email_edits: boolean,
  email_comments: boolean,
  email_invites: boolean,
  email_digest_frequency: oneOf(digestFrequencies),
  in_app_mentions: boolean,
  in_app_edits: boolean,
  in_app_comments: boolean,
  in_app_invites: boolean,
  updated_at: nullish(string),
  digest_hour: optional(number),
  digest_weekday: optional(number),
  time_zone: optional(string),
  quiet_hours_start: nullish(string),
  quiet_hours_end: nullish(string),
  quiet_weekdays: optional(listOf(number)),
  kinds: optional(recordOf(object({ email: optional(boolean), in_app: optional(boolean) }))),
});

/**
 * A row of the table `notification_preferences`.
 *
 * @throws {TypeError} if it lacks a setting, or a column has another type.
 */
export function parsePreferences(value: unknown): Preferences {
  const row = preferencesRow(value);
  return { ...row, updated_at: row.updated_at ?? null };
}

export function isTemporary(preferences: Preferences | null | undefined): boolean {
  return preferences?.id === temporaryPreferences.id;
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
