import type { RecoveryTexts } from './recovery-texts.en.ts';

export const texts: RecoveryTexts = {
  title: 'Wiederherstellungscodes',
  none: 'Du hast keine Wiederherstellungscodes. Wenn du deinen Authenticator verlierst, kommst du nicht mehr in dein Konto.',
  left: (unused, date) =>
    unused === 1
      ? `1 Code ist noch übrig, erstellt am ${date}.`
      : `${unused} Codes sind noch übrig, erstellt am ${date}.`,
  noneLeft: 'Du hast alle deine Wiederherstellungscodes benutzt. Erstelle neue.',
  loadFailed: 'Deine Wiederherstellungscodes konnten nicht geladen werden.',
  create: 'Wiederherstellungscodes erstellen',
  replace: 'Neue Codes erstellen',
  replaceTitle: 'Neue Wiederherstellungscodes erstellen?',
  replaceText: 'Deine bisherigen Codes gelten dann sofort nicht mehr.',
  createFailed: 'Es konnten keine Wiederherstellungscodes erstellt werden. Versuche es noch einmal.',
  keep: 'Wenn du deinen Authenticator verlierst, meldet dich jeder dieser Codes einmal an und schaltet die Anmeldung in zwei Schritten aus. Bewahre sie bei deinen Passwörtern auf. Sie werden nur jetzt angezeigt.',
  spare: 'Noch besser: Füge auch eine zweite Authenticator-App auf einem anderen Gerät hinzu.',
  copy: 'Kopieren',
  copied: 'Die Codes sind kopiert.',
  copyRefused: 'Die Codes konnten nicht kopiert werden. Sie sind markiert, du kannst sie selbst kopieren.',
  download: 'Herunterladen',
  print: 'Drucken',
  done: 'Ich habe meine Codes gesichert',
  account: (email, date) => `Für ${email}, erstellt am ${date}`,
};
