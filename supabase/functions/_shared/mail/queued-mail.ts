/** A notification in a mail, as the database hands it over. */
export interface QueuedItem {
  readonly id: string;
  readonly kind: string;
  /** The decoded content; null where it is not JSON. */
  readonly content: unknown;
  /** ISO 8601. */
  readonly created_at: string;
  /** Whether the inbox lists it. A kind that is off in the app is mailed only. */
  readonly is_in_inbox: boolean;
}

/** What a mail about the safety of an account reports. */
export interface SecurityEvent {
  readonly kind:
    | 'new_device'
    | 'recovery_code_used'
    | 'recovery_codes_created'
    | 'passkey_added'
    | 'passkey_removed';
  readonly detail: {
    readonly user_agent?: string;
    readonly ip?: string;
    /** The name of the passkey. */
    readonly name?: string;
  };
  /** ISO 8601. */
  readonly created_at: string;
}

/** A mail that `claim_notification_mails` leased to this worker. */
export interface QueuedMail {
  readonly id: string;
  readonly lease: string;
  /** ISO 8601. From then on another worker may claim the mail. */
  readonly lease_until: string;
  /** `digest`, `test`, `security:<event>`, `invitation:<id>`, or the thread of an instant mail. */
  readonly topic: string;
  /** The same for every mail to this recipient about this topic. */
  readonly thread_id: string;
  readonly due_at: string;
  readonly address: string;
  readonly name: string;
  /** BCP 47. */
  readonly language: string;
  /** IANA name, known to the database. */
  readonly time_zone: string;
  readonly frequency: string;
  /** Newest first, at most 50. */
  readonly items: readonly QueuedItem[];
  /** All that the mail is about, also those beyond `items`. */
  readonly item_count: number;
  /** Null: the mail is about notifications, or a test. */
  readonly security_event: SecurityEvent | null;
  readonly unsubscribe_token: string;
}

export interface ClaimedMails {
  /** Leased mails, with those that were skipped: fewer than the batch means that nothing else is due. */
  readonly claimed: number;
  readonly mails: readonly QueuedMail[];
}
