import type { PushTexts } from './push-texts.ts';

export const german: PushTexts = {
  title: 'Dieses Gerät',
  label: 'Hinweise, wenn kein Tab offen ist',
  hint: 'Dein Browser zeigt neue Benachrichtigungen auch, wenn Tidings geschlossen ist. Ruhezeiten gelten.',
  asking: 'Der Browser wird gefragt …',
  denied:
    'Dieser Browser blockiert Benachrichtigungen dieser Website. Erlaube sie in den Website-Einstellungen und versuche es noch einmal.',
  noPushService:
    'Dein Browser erreicht seinen Push-Dienst nicht, deshalb bleiben die Hinweise aus. Private Fenster und manche Netze blockieren ihn. Versuche es später noch einmal oder in einem anderen Browser.',
  failed:
    'Die Hinweise konnten nicht eingeschaltet werden. Prüfe deine Verbindung und versuche es noch einmal.',
  stopFailed:
    'Die Hinweise konnten nicht ausgeschaltet werden. Prüfe deine Verbindung und versuche es noch einmal.',
};
