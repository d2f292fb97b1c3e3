/** Kinds of notifications that can be unsubscribed from one by one. */
export const mailKinds = ['mention', 'message', 'comment', 'edit', 'invite'] as const;
export type MailKind = (typeof mailKinds)[number];

/** The words of the page; a null kind stands for all mails. */
export interface UnsubscribeTexts {
  readonly title: string;
  readonly question: (kind: MailKind | null) => string;
  readonly confirm: string;
  readonly stopAll: string;
  readonly done: (kind: MailKind | null) => string;
  readonly undo: string;
  readonly undone: (kind: MailKind | null) => string;
  readonly invalid: string;
  /** Shown while the server takes long. */
  readonly slow: string;
  readonly failed: string;
  readonly retry: string;
}

const englishKinds: Readonly<Record<MailKind, string>> = {
  mention: 'mentions',
  message: 'messages',
  comment: 'comments',
  edit: 'edits',
  invite: 'invites',
};

const english: UnsubscribeTexts = {
  title: 'Unsubscribe',
  question: (kind) =>
    kind === null ? 'Stop all notification emails?' : `Stop emails about ${englishKinds[kind]}?`,
  confirm: 'Unsubscribe',
  stopAll: 'Stop all notification emails',
  done: (kind) =>
    kind === null
      ? 'You no longer get notification emails.'
      : `You no longer get emails about ${englishKinds[kind]}.`,
  undo: 'Undo',
  undone: (kind) =>
    kind === null
      ? 'You get notification emails again.'
      : `You get emails about ${englishKinds[kind]} again.`,
  invalid: 'This link has expired or is incomplete. Sign in to change your email settings.',
  slow: 'Still working on it. Your connection seems slow.',
  failed: 'Couldn’t reach the server. Check your connection and try again.',
  retry: 'Try again',
};

const germanKinds: Readonly<Record<MailKind, string>> = {
  mention: 'Erwähnungen',
  message: 'Nachrichten',
  comment: 'Kommentare',
  edit: 'Änderungen',
  invite: 'Einladungen',
};

const german: UnsubscribeTexts = {
  title: 'Abbestellen',
  question: (kind) =>
    kind === null
      ? 'Keine Benachrichtigungen per E‑Mail mehr bekommen?'
      : `Keine E‑Mails über ${germanKinds[kind]} mehr bekommen?`,
  confirm: 'Abbestellen',
  stopAll: 'Alle E‑Mails abbestellen',
  done: (kind) =>
    kind === null
      ? 'Du bekommst keine Benachrichtigungen per E‑Mail mehr.'
      : `Du bekommst keine E‑Mails über ${germanKinds[kind]} mehr.`,
  undo: 'Rückgängig machen',
  undone: (kind) =>
    kind === null
      ? 'Du bekommst wieder Benachrichtigungen per E‑Mail.'
      : `Du bekommst wieder E‑Mails über ${germanKinds[kind]}.`,
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
