/** A channel by which a notification reaches a recipient. */
export type Channel = 'in_app' | 'email' | 'push';

/**
 * Who receives a message: accounts by their ids (1 to 10,000), the members of an audience, every account, or those who follow the kind of
 * the message, which is a topic.
 */
export type Recipients = OneOf<{
  readonly recipients: readonly string[];
  readonly audience: string;
  readonly everyone: true;
  readonly followers: true;
}>;
type OneOf<Fields> = {
  [Name in keyof Fields]: Pick<Fields, Name> & { readonly [Other in Exclude<keyof Fields, Name>]?: never };
}[keyof Fields];

/** The content of a notification. Every field is plain text: nothing is parsed as HTML or Markdown. */
export interface MessageContent {
  /** `mention`, `comment`, `edit`, `invite`, `message`, `system`, or one that the team has registered. Default `system`. */
  readonly kind?: string;
  /** Up to 2,000 characters. */
  readonly text?: string;
  /** A path of the application, which the notification opens: `/orders/7`. */
  readonly url?: string;
  /** What it is about. Notifications about one entity are grouped, and a recipient may mute it. */
  readonly entity?: { readonly type: string; readonly id: string; readonly name?: string };
  /** An account, or a name that the service chooses. Default: the product itself. */
  readonly sender?: { readonly userId: string } | { readonly name: string };
  /** Up to 20 values for the placeholders of the kind's templates, each up to 200 characters. */
  readonly fields?: Readonly<Record<string, string | number>>;
  /** Whether the inbox lists it above the rest until it is read, as it does with mentions and invitations. Default: false. */
  readonly important?: boolean;
  /** Up to 3 buttons. */
  readonly actions?: readonly Action[];
}

/** A button of a notification: `label` has 1 to 40 characters. */
export type Action =
  /** Opens a path of the application. */
  | { readonly label: string; readonly url: string; readonly callback?: never }
  /** Calls a function that the kind has registered, as the recipient, with the notification's id. */
  | { readonly label: string; readonly callback: string; readonly url?: never };

/** A message to one or many recipients. */
export type Message = Recipients &
  MessageContent & {
    /** Delivers only by these of the channels that a recipient has enabled. Default: all. */
    readonly channels?: readonly Channel[];
    /**
     * When it is sent, at most a year ahead: a point in time, or a local time such as `2027-01-05T09:00` in the time zone of each
     * recipient (UTC without a chosen one). Default: now.
     */
    readonly sendAt?: Date | { readonly localTime: string };
    /**
     * The end of delivery; then the notification also disappears from inboxes. Default: never; for an audience and
     * everyone 90 days after `sendAt`.
     */
    readonly expiresAt?: Date;
    /**
     * A repetition with the same key within 30 days sends nothing and returns the status of the first. Default: a
     * random key.
     */
    readonly idempotencyKey?: string;
  };

/**
 * The outcome of a message for one recipient.
 *
 * - `delivered`: it was sent by `channels`; mail and push wait until `quietUntil` in quiet hours.
 * - `suppressed`: the recipient does not want it, for the `reason`.
 * - `failed`: it could not be stored; `reason` has the database's message. A call with the same key retries.
 * - `unknown`: there is no such account; `send()` and `sendAll()` name these, the log counts them.
 */
export interface Delivery {
  readonly recipientId: string;
  /** The outcome for this recipient. */
  readonly outcome: 'delivered' | 'suppressed' | 'failed' | 'unknown';
  /** For `suppressed`: `kind_off`, `muted`, `sender_blocked`, `channels_off`, or `no_address` that gets mail. */
  readonly reason?: string;
  /** The notification's id, as the inbox lists it. */
  readonly notificationId?: string;
  /** The channels that were used. */
  readonly channels?: readonly Channel[];
  /** When the recipient's quiet hours end, if they delay mail and push. */
  readonly quietUntil?: Date;
  /** For mail: `pending`, `sending`, `retrying`, `sent`, `skipped` or `dead`. */
  readonly mailState?: string;
}

/** The status of a message so far. */
export interface MessageStatus {
  readonly id: string;
  readonly idempotencyKey: string | null;
  /** `scheduled` for later, `queued` for the jobs that deliver, `delivered`, `canceled`, or `expired` before all were reached. */
  readonly state: 'scheduled' | 'queued' | 'delivered' | 'canceled' | 'expired';
  /** With a local time: the moment at which the first time zone reaches it. */
  readonly sendAt: Date;
  /** The local time of each recipient; null: all receive it at `sendAt`. */
  readonly localTime: string | null;
  readonly expiresAt: Date | null;
  /** The number of recipients by outcome. */
  readonly counts: Readonly<Record<Delivery['outcome'], number>>;
  /** The first 100 deliveries, in the order of the recipients' ids; `deliveries()` reads all. */
  readonly deliveries: readonly Delivery[];
}

/** The preview of a message. Nothing is sent. */
export interface DryRun {
  /** The number of named recipients or of members of the audience; null for everyone and for followers. */
  readonly recipientCount: number | null;
  /** The outcomes for the first 100 recipients if it were sent now, in the order of their ids. */
  readonly deliveries: readonly Delivery[];
  /** Previews by language: `en` and `de`, and those of the kind's labels and templates. */
  readonly previews: Readonly<Record<string, Preview>>;
}

/** A message in one language. */
export interface Preview {
  /** In the inbox. */
  readonly row: { readonly title: string; readonly text: string | null };
  /** The mail to a recipient who gets it at once. */
  readonly mail: { readonly subject: string; readonly text: string; readonly html: string };
  readonly push: { readonly title: string; readonly body: string };
}
