import type { OptionsTexts } from './options-texts.en.ts';

export const texts: OptionsTexts = {
  desktop: 'Desktop-Benachrichtigungen',
  desktopHint: 'Zeigt eine Benachrichtigung auf dem Desktop, wenn der Posteingang im Hintergrund ist.',
  desktopDenied:
    'Dein Browser blockiert Benachrichtigungen dieser Website. Du kannst sie in seinen Einstellungen erlauben.',
  sound: 'Ton',
  soundHint: 'Spielt zwei leise Töne, wenn eine Benachrichtigung eintrifft.',
  grouping: 'Ähnliche Benachrichtigungen gruppieren',
  groupingHint: 'Eine Zeile für Änderungen oder Kommentare derselben Person am selben Ort und Tag.',
  density: 'Zeilenhöhe',
  densities: { compact: 'Kompakt', standard: 'Standard', relaxed: 'Großzügig' },
  shortcuts: 'Tastenkürzel',
  shortcutsHint: 'Buchstaben wirken auf der ganzen Seite, außer in Textfeldern.',
  shortcutsSwitch: 'Tastenkürzel verwenden',
  shortcut: {
    next: 'Nächste Benachrichtigung',
    previous: 'Vorige Benachrichtigung',
    open: 'Öffnen',
    read: 'Als gelesen oder ungelesen markieren',
    archive: 'Archivieren oder in den Posteingang',
    remove: 'Löschen',
    snooze: 'Zurückstellen',
    search: 'Suchen',
    select: 'Auswählen',
    allRead: 'Alle als gelesen markieren',
    undo: 'Letzte Aktion rückgängig machen',
    goInbox: 'Zum Posteingang',
    goPreferences: 'Zu den Einstellungen',
    escape: 'Benachrichtigung schließen oder Auswahl beenden',
    help: 'Diese Hilfe anzeigen',
  },
};
