import type { InboxTexts } from './inbox-texts.ts';

/** Entity types in the accusative and the dative. */
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

const notifications = (count: number) =>
  `${count.toLocaleString('de')} ${count === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}`;

export const german: InboxTexts = {
  title: 'Posteingang',
  tabs: { all: 'Alle', unread: 'Ungelesen', snoozed: 'Zurückgestellt', archived: 'Archiv' },
  tabsLabel: 'Listen',
  tabName: (tab, count) => `${tab}, ${count}`,
  kindsLabel: 'Arten',
  filter: 'Nach Art filtern',
  kinds: {
    mention: 'Erwähnungen',
    edit: 'Änderungen',
    comment: 'Kommentare',
    invite: 'Einladungen',
    system: 'System',
  },
  kind: {
    mention: 'Erwähnung',
    edit: 'Änderung',
    comment: 'Kommentar',
    invite: 'Einladung',
    system: 'System',
    other: 'Benachrichtigung',
  },
  kindName: (kind, unread) => `${kind}, ${unread} ungelesen`,
  titles: {
    mention: (actor, entity) => `${actor} hat dich in ${entity} erwähnt`,
    edit: (actor, entity) => `${actor} hat ${entity} geändert`,
    comment: (actor, entity) => `${actor} hat ${entity} kommentiert`,
    invite: (actor, entity) => `${actor} hat dich zu ${entity} eingeladen`,
    system: () => 'Benachrichtigung',
    other: () => 'Benachrichtigung',
  },
  sentMessage: (actor) => `${actor} hat dir eine Nachricht geschickt`,
  answers: {
    accepted: (actor, entity) => `${actor} hat deine Einladung zu ${entity} angenommen`,
    declined: (actor, entity) => `${actor} hat deine Einladung zu ${entity} abgelehnt`,
  },
  someone: 'Jemand',
  something: (entityType, role) => (entityTypes[entityType ?? ''] ?? unknownEntity)[role],
  unread: 'Ungelesen',
  waiting: 'Wartet',
  bell: (unread) => (unread > 0 ? `Benachrichtigungen, ${unread} ungelesen` : 'Benachrichtigungen'),
  markRead: 'Als gelesen markieren',
  markUnread: 'Als ungelesen markieren',
  markAllRead: 'Alle gelesen',
  archive: 'Archivieren',
  snooze: 'Zurückstellen …',
  returned: 'War zurückgestellt',
  search: 'Benachrichtigungen durchsuchen',
  searchFailed: 'Deine Benachrichtigungen konnten nicht durchsucht werden.',
  unarchive: 'In den Posteingang',
  remove: 'Löschen',
  more: 'Weitere Aktionen',
  actionOn: (action, title) => `${action}: ${title}`,
  retry: 'Noch einmal versuchen',
  close: 'Schließen',
  cancel: 'Abbrechen',
  loadMore: 'Mehr laden',
  loading: 'Benachrichtigungen werden geladen',
  stillLoading: 'Das dauert länger als gewöhnlich. Wird noch geladen …',
  fresh: (count) => `${count} neu`,
  readFailed: 'Deine Benachrichtigungen konnten nicht geladen werden.',
  readFailedStale: 'Aktualisieren nicht möglich. Du siehst die zuletzt gespeicherten Benachrichtigungen.',
  actionFailed: 'Etwas ist schiefgelaufen. Deine Änderung wurde rückgängig gemacht.',
  lost: 'Live-Aktualisierung unterbrochen. Verbindung wird wiederhergestellt …',
  lostReload: 'Liste neu laden',
  select: 'Auswählen',
  selectNamed: (title) => `Auswählen: ${title}`,
  invite: 'Einladen',
  options: 'Optionen des Posteingangs',

  selectDone: 'Fertig',
  selectAll: 'Alle sichtbaren auswählen',
  selectEverything: (count) => `Alle ${count.toLocaleString('de')} auswählen`,
  selected: (count) => `${count.toLocaleString('de')} ausgewählt`,
  times: (title, count, isAtLeast) =>
    `${title}, ${isAtLeast ? 'mindestens ' : ''}${count.toLocaleString('de')}-mal`,
  several: (title, count) => `${title} (${notifications(count)})`,
  seeAll: 'Alle ansehen',
  showEverything: 'Alle Arten anzeigen',

  found: (count, hasMore) =>
    count === 0 ? 'Keine Treffer' : `${count.toLocaleString('de')}${hasMore ? '+' : ''} Treffer`,
  undo: 'Rückgängig',
  removed: (count) => `${notifications(count)} gelöscht.`,
  removedAll: 'Alle Benachrichtigungen dieser Liste gelöscht.',
  archived: (count) => `${notifications(count)} archiviert.`,
  unarchived: (count) => `${notifications(count)} in den Posteingang verschoben.`,
  markedRead: (count) => `${notifications(count)} als gelesen markiert.`,
  markedUnread: (count) => `${notifications(count)} als ungelesen markiert.`,
  markedAllRead: 'Alle als gelesen markiert.',
  missing: (missing, count) =>
    missing === 1 && count === 1
      ? 'Diese Benachrichtigung wurde gelöscht.'
      : missing === count
        ? 'Diese Benachrichtigungen wurden gelöscht.'
        : `${missing.toLocaleString('de')} von ${notifications(count)} wurden vorher gelöscht.`,
  clearSearch: 'Suche löschen',
  arrived: (count) =>
    `${count.toLocaleString('de')} neue ${count === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}`,

  empty: {
    all: 'Noch keine Benachrichtigungen.',
    unread: 'Du hast alles gelesen.',
    snoozed: 'Nichts zurückgestellt.',
    archived: 'Nichts archiviert.',
  },
  emptyHint: {
    all: 'Erwähnungen, Kommentare, Änderungen und Einladungen erscheinen hier.',
    unread: 'Neue Benachrichtigungen erscheinen hier.',
    snoozed: 'Zurückgestellte Benachrichtigungen warten hier bis zu ihrer Zeit.',
    archived: 'Archivierte Benachrichtigungen stehen nicht mehr im Posteingang.',
  },
  inviteSomeone: 'Jemanden einladen',
  choosePreferences: 'Benachrichtigungen auswählen',
  emptyKind: 'Keine Benachrichtigungen dieser Art.',
  searchEmpty: (query) => `Keine Treffer für „${query}“.`,
  searchEmptyHint: 'Versuche weniger oder kürzere Wörter. Ein Wort findet auch Wörter, die damit beginnen.',

  waitingAction: {
    title: (title) => `„${title}“`,
    count: notifications,
    unread: (what) => `${what} als ungelesen markieren`,
    read: (what) => `${what} als gelesen markieren`,
    archived: (what) => `${what} archivieren`,
    unarchived: (what) => `${what} in den Posteingang verschieben`,
    removed: (what) => `${what} löschen`,
    snoozed: (what) => `${what} zurückstellen`,
    woken: (what) => `${what} nicht mehr zurückstellen`,
    readAll: 'Alle als gelesen markieren',
    removedAll: 'Eine ganze Liste löschen',
  },
};
