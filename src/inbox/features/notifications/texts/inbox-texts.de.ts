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
  language: 'de',
  title: 'Posteingang',
  tabs: {
    all: 'Alle',
    unread: 'Ungelesen',
    'needs-you': 'Wartet auf dich',
    snoozed: 'Zurückgestellt',
    archived: 'Archiv',
  },
  tabsLabel: 'Listen',
  tabName: (tab, count) => `${tab}, ${count}`,
  kindsLabel: 'Arten',
  filter: 'Filtern',
  removeFilter: (name) => `Filter entfernen: ${name}`,
  kinds: {
    mention: 'Erwähnungen',
    edit: 'Änderungen',
    comment: 'Kommentare',
    invite: 'Einladungen',
    message: 'Nachrichten',
    system: 'System',
  },
  kind: {
    mention: 'Erwähnung',
    edit: 'Änderung',
    comment: 'Kommentar',
    invite: 'Einladung',
    system: 'System',
    message: 'Nachricht',
    other: 'Benachrichtigung',
  },
  kindName: (kind, unread) => `${kind}, ${unread} ungelesen`,
  titles: {
    mention: (actor, entity) => `${actor} hat dich in ${entity} erwähnt`,
    edit: (actor, entity) => `${actor} hat ${entity} geändert`,
    comment: (actor, entity) => `${actor} hat ${entity} kommentiert`,
  },
  invitations: {
    open: (actor, entity) => `${actor} hat dich ${entity === null ? '' : `zu ${entity} `}eingeladen`,
    accepted: (actor, entity) =>
      `${actor} hat deine Einladung ${entity === null ? '' : `zu ${entity} `}angenommen`,
    declined: (actor, entity) =>
      `${actor} hat deine Einladung ${entity === null ? '' : `zu ${entity} `}abgelehnt`,
  },
  sentMessage: (actor) => `${actor} hat dir eine Nachricht geschickt`,
  senderGroups: {
    edit: (actor, count) => `${actor} hat ${count} Änderungen gemacht`,
    comment: (actor, count) => `${actor} hat ${count} Kommentare geschrieben`,
    message: (actor, count) => `${actor} hat dir ${count} Nachrichten geschickt`,
    other: (actor, count) => `${count} Benachrichtigungen von ${actor}`,
  },
  someone: 'Jemand',
  something: (entityType, role) => (entityTypes[entityType ?? ''] ?? unknownEntity)[role],
  unread: 'Ungelesen',
  pending: 'Wartet',
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
  readFailedStale: (time) => `Aktualisieren nicht möglich. Stand der Liste: ${time}.`,
  listNotSaved:
    'Diese Liste ist nicht auf diesem Gerät gespeichert. Sie wird geladen, sobald du wieder online bist.',
  noCopy: 'Auf diesem Gerät ist keine Kopie deines Posteingangs gespeichert.',
  lost: 'Live-Aktualisierung unterbrochen. Verbindung wird wiederhergestellt …',
  lostReload: 'Liste neu laden',
  select: 'Auswählen',
  selectNamed: (title) => `Auswählen: ${title}`,
  invite: 'Einladen',
  options: 'Optionen des Posteingangs',

  updates: (count) => `${count.toLocaleString('de')} Neuigkeiten`,
  several: (title, count) => `${title} (${notifications(count)})`,
  seeAll: 'Alle ansehen',
  showEverything: 'Filter löschen',

  found: (count, hasMore) =>
    count === 0 ? 'Keine Treffer' : `${count.toLocaleString('de')}${hasMore ? '+' : ''} Treffer`,
  undo: 'Rückgängig',
  removed: (count) => `${notifications(count)} gelöscht.`,
  archived: (count) => `${notifications(count)} archiviert.`,
  unarchived: (count) => `${notifications(count)} in den Posteingang verschoben.`,
  markedRead: (count) => `${notifications(count)} als gelesen markiert.`,
  markedUnread: (count) => `${notifications(count)} als ungelesen markiert.`,
  markedAllRead: 'Alle als gelesen markiert.',
  clearSearch: 'Suche löschen',
  arrived: (count) =>
    `${count.toLocaleString('de')} neue ${count === 1 ? 'Benachrichtigung' : 'Benachrichtigungen'}`,

  empty: {
    all: 'Noch keine Benachrichtigungen.',
    unread: 'Du hast alles gelesen.',
    'needs-you': 'Nichts wartet auf dich.',
    snoozed: 'Nichts zurückgestellt.',
    archived: 'Nichts archiviert.',
  },
  emptyHint: {
    all: 'Erwähnungen, Kommentare, Änderungen und Einladungen erscheinen hier.',
    unread: 'Neue Benachrichtigungen erscheinen hier.',
    'needs-you':
      'Ungelesene Erwähnungen, offene Einladungen und was Absender als wichtig markieren, erscheinen hier.',
    snoozed: 'Zurückgestellte Benachrichtigungen warten hier bis zu ihrer Zeit.',
    archived: 'Archivierte Benachrichtigungen stehen nicht mehr im Posteingang.',
  },
  inviteSomeone: 'Jemanden einladen',
  choosePreferences: 'Benachrichtigungen auswählen',
  emptyKind: 'Keine Benachrichtigungen für diese Filter.',
  searchEmpty: (query) => `Keine Treffer für „${query}“.`,
  searchEmptyHint: 'Versuche weniger oder kürzere Wörter. Ein Wort findet auch Wörter, die damit beginnen.',

  count: notifications,
  snoozed: 'Zurückstellen',
  removeAll: 'Eine ganze Liste löschen',
  archiveAll: 'Eine ganze Liste archivieren',
};
