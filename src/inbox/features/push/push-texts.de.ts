import type { PushTexts } from './push-texts.ts';

export const german: PushTexts = {
  title: 'Dieses Gerät',
  label: 'Auf diesem Gerät benachrichtigen',
  hint: 'Auch wenn Tidings geschlossen ist.',
  hintWhileOpen: 'Solange Tidings in einem anderen Tab offen ist.',
  asking: 'Der Browser wird gefragt …',
  denied:
    'Dieser Browser blockiert Benachrichtigungen dieser Website. Erlaube sie in den Website-Einstellungen und versuche es noch einmal.',
  noPushService:
    'Dein Browser erreicht seinen Push-Dienst nicht. Du wirst benachrichtigt, solange Tidings in einem Tab im Hintergrund offen ist.',
  failed:
    'Die Hinweise konnten nicht eingeschaltet werden. Prüfe deine Verbindung und versuche es noch einmal.',
  stopFailed:
    'Die Hinweise konnten nicht ausgeschaltet werden. Prüfe deine Verbindung und versuche es noch einmal.',
};
