import type { MailItem, MailKind } from './mail-item.ts';

/** The words of the mails in one language. */
export interface MailTexts {
  /** BCP 47. */
  readonly language: string;
  readonly kinds: Readonly<Record<MailKind, string>>;
  readonly sentence: (item: MailItem) => string;
  readonly instantSubject: (item: MailItem, count: number) => string;
  readonly digestSubject: (count: number) => string;
  readonly digestTitle: (count: number) => string;
  readonly more: (count: number) => string;
  /** Shown after the newest event of a thread. */
  readonly earlier: (count: number) => string;
  readonly openInbox: string;
  readonly why: (frequency: string) => string;
  readonly whyInvitation: string;
  readonly preferences: string;
  readonly unsubscribe: (kind: MailKind | null) => string;
  /** `label` is the label of a registered kind. */
  readonly unsubscribeFrom: (label: string) => string;
  readonly testSubject: string;
  readonly testBody: string;
}

export const english: MailTexts = {
  language: 'en',
  kinds: {
    mention: 'Mentions',
    message: 'Messages',
    comment: 'Comments',
    edit: 'Edits',
    invite: 'Invites',
    other: 'Notifications',
  },
  sentence({ kind, title, actor, entity, entityType, answer }) {
    const who = actor ?? 'Someone';
    const what = entity ?? (entityType ? `a ${entityType}` : 'a shared item');
    const toWhat = (entity ?? entityType) ? ` to ${what}` : '';
    if (answer) return `${who} ${answer} your invitation${toWhat}`;
    switch (kind) {
      case 'mention':
        return `${who} mentioned you in ${what}`;
      case 'message':
        return `${who} sent you a message`;
      case 'comment':
        return `${who} commented on ${what}`;
      case 'edit':
        return `${who} edited ${what}`;
      case 'invite':
        return `${who} invited you${toWhat}`;
      case 'other':
        return title ?? 'You have a notification';
    }
  },
  instantSubject: (item, count) =>
    count === 1 ? english.sentence(item) : `${english.sentence(item)} (and ${count - 1} more)`,
  digestSubject: (count) => `${count} unread ${count === 1 ? 'notification' : 'notifications'}`,
  digestTitle: (count) =>
    count === 1 ? 'You have 1 unread notification' : `You have ${count} unread notifications`,
  more: (count) => `${count} more in your inbox`,
  earlier: (count) => `and ${count} earlier`,
  openInbox: 'Open inbox',
  why: (frequency) =>
    frequency === 'instant'
      ? 'You get an email about each thread because you chose “instant”.'
      : `You get this summary because you chose “${frequency}”.`,
  whyInvitation: 'Invitations are emailed even if emails about invites are off, so that none is lost.',
  preferences: 'Change email settings',
  unsubscribe: (kind) =>
    kind === null ? 'Unsubscribe from all' : `Unsubscribe from ${english.kinds[kind].toLowerCase()}`,
  unsubscribeFrom: (label) => `Unsubscribe from “${label}”`,
  testSubject: 'Test email from Tidings',
  testBody: 'Emails from Tidings reach this address. This is how a notification looks:',
};

const frequenciesInGerman: Readonly<Record<string, string>> = {
  hourly: 'stündlich',
  daily: 'täglich',
  weekly: 'wöchentlich',
};

/** Entity types in the accusative and the dative, as `inbox-texts.de.ts` words them. */
const entityTypes: Readonly<Record<string, { readonly object: string; readonly place: string }>> = {
  document: { object: 'ein Dokument', place: 'einem Dokument' },
  project: { object: 'ein Projekt', place: 'einem Projekt' },
  task: { object: 'eine Aufgabe', place: 'einer Aufgabe' },
  page: { object: 'eine Seite', place: 'einer Seite' },
  file: { object: 'eine Datei', place: 'einer Datei' },
  folder: { object: 'einen Ordner', place: 'einem Ordner' },
  team: { object: 'ein Team', place: 'einem Team' },
  workspace: { object: 'einen Arbeitsbereich', place: 'einem Arbeitsbereich' },
};
const unknownEntity = { object: 'etwas', place: 'etwas' };

export const german: MailTexts = {
  language: 'de',
  kinds: {
    mention: 'Erwähnungen',
    message: 'Nachrichten',
    comment: 'Kommentare',
    edit: 'Änderungen',
    invite: 'Einladungen',
    other: 'Benachrichtigungen',
  },
  sentence({ kind, title, actor, entity, entityType, answer }) {
    const who = actor ?? 'Jemand';
    const role = kind === 'edit' || kind === 'comment' ? 'object' : 'place';
    const what = entity ?? (entityTypes[entityType ?? ''] ?? unknownEntity)[role];
    const toWhat = (entity ?? entityType) ? `zu ${what} ` : '';
    if (answer)
      return `${who} hat deine Einladung ${toWhat}${answer === 'accepted' ? 'angenommen' : 'abgelehnt'}`;
    switch (kind) {
      case 'mention':
        return `${who} hat dich in ${what} erwähnt`;
      case 'message':
        return `${who} hat dir eine Nachricht geschickt`;
      case 'comment':
        return `${who} hat ${what} kommentiert`;
      case 'edit':
        return `${who} hat ${what} geändert`;
      case 'invite':
        return `${who} hat dich ${toWhat}eingeladen`;
      case 'other':
        return title ?? 'Du hast eine Benachrichtigung';
    }
  },
  instantSubject: (item, count) =>
    count === 1 ? german.sentence(item) : `${german.sentence(item)} (und ${count - 1} weitere)`,
  digestSubject: (count) =>
    count === 1 ? '1 ungelesene Benachrichtigung' : `${count} ungelesene Benachrichtigungen`,
  digestTitle: (count) =>
    count === 1 ? 'Du hast 1 ungelesene Benachrichtigung' : `Du hast ${count} ungelesene Benachrichtigungen`,
  more: (count) => `${count} weitere in deinem Posteingang`,
  earlier: (count) => (count === 1 ? 'und 1 frühere' : `und ${count} frühere`),
  openInbox: 'Posteingang öffnen',
  why: (frequency) =>
    frequency === 'instant'
      ? 'Du bekommst eine E-Mail zu jedem Thema, weil du „sofort“ gewählt hast.'
      : `Du bekommst diese Zusammenfassung, weil du „${frequenciesInGerman[frequency] ?? frequency}“ gewählt hast.`,
  whyInvitation:
    'Einladungen kommen auch dann per E-Mail, wenn E-Mails über Einladungen aus sind. So geht keine verloren.',
  preferences: 'E-Mail-Einstellungen ändern',
  unsubscribe: (kind) => (kind === null ? 'Alle abbestellen' : `${german.kinds[kind]} abbestellen`),
  unsubscribeFrom: (label) => `„${label}“ abbestellen`,
  testSubject: 'Test-E-Mail von Tidings',
  testBody: 'E-Mails von Tidings erreichen diese Adresse. So sieht eine Benachrichtigung aus:',
};

/** The texts of the closest language: `de-AT` is German, an unknown language English. */
export function mailTextsOf(language: string): MailTexts {
  return /^de(?:-|$)/i.test(language) ? german : english;
}
