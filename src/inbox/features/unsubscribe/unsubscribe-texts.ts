/** Kinds of notifications that can be unsubscribed from one by one. */
export const mailKinds = ['mention', 'message', 'comment', 'edit', 'invite'] as const;
export type MailKind = (typeof mailKinds)[number];

/** The words of the page. `what` are the mails: a word of `kinds`, or a `label` of the team's; null: all mails. */
export interface UnsubscribeTexts {
  readonly title: string;
  readonly kinds: Readonly<Record<MailKind, string>>;
  readonly label: (label: string) => string;
  readonly question: (what: string | null) => string;
  readonly confirm: string;
  readonly stopAll: string;
  readonly done: (what: string | null) => string;
  readonly undo: string;
  readonly undone: (what: string | null) => string;
  readonly invalid: string;
  /** Shown while the server takes long. */
  readonly slow: string;
  readonly failed: string;
  readonly retry: string;
}

const english: UnsubscribeTexts = {
  title: 'Unsubscribe',
  kinds: {
    mention: 'mentions',
    message: 'messages',
    comment: 'comments',
    edit: 'edits',
    invite: 'invites',
  },
  label: (label) => `“${label}”`,
  question: (what) => (what === null ? 'Stop all notification emails?' : `Stop emails about ${what}?`),
  confirm: 'Unsubscribe',
  stopAll: 'Stop all notification emails',
  done: (what) =>
    what === null ? 'You no longer get notification emails.' : `You no longer get emails about ${what}.`,
  undo: 'Undo',
  undone: (what) =>
    what === null ? 'You’ll get notification emails again.' : `You’ll get emails about ${what} again.`,
  invalid: 'This link has expired or is incomplete. Sign in to change your email settings.',
  slow: 'Still working on it. Your connection seems slow.',
  failed: 'Couldn’t reach the server. Check your connection and try again.',
  retry: 'Try again',
};

const german: UnsubscribeTexts = {
  title: 'Abbestellen',
  kinds: {
    mention: 'Erwähnungen',
    message: 'Nachrichten',
    comment: 'Kommentare',
    edit: 'Änderungen',
    invite: 'Einladungen',
  },
  label: (label) => `„${label}“`,
  question: (what) =>
    what === null
      ? 'Keine Benachrichtigungen per E‑Mail mehr bekommen?'
      : `Keine E‑Mails über ${what} mehr bekommen?`,
  confirm: 'Abbestellen',
  stopAll: 'Alle E‑Mails abbestellen',
  done: (what) =>
    what === null
      ? 'Du bekommst keine Benachrichtigungen per E‑Mail mehr.'
      : `Du bekommst keine E‑Mails über ${what} mehr.`,
  undo: 'Rückgängig machen',
  undone: (what) =>
    what === null
      ? 'Du bekommst wieder Benachrichtigungen per E‑Mail.'
      : `Du bekommst wieder E‑Mails über ${what}.`,
  invalid:
    'Dieser Link ist abgelaufen oder unvollständig. Melde dich an, um deine E‑Mail-Einstellungen zu ändern.',
  slow: 'Einen Moment noch. Deine Verbindung scheint langsam zu sein.',
  failed: 'Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es noch einmal.',
  retry: 'Noch einmal versuchen',
};

/** @param language BCP 47; other languages than German get English. */
export function unsubscribeTextsOf(language: string): UnsubscribeTexts {
  return /^de(?:-|$)/i.test(language) ? german : english;
}
