import type { AuthTexts } from './auth-texts.en.ts';

export const texts: AuthTexts = {
  signIn: 'Anmelden',
  signUp: 'Konto anlegen',
  email: 'E-Mail',
  password: 'Passwort',
  forgotPassword: 'Passwort vergessen?',
  newHere: 'Neu hier?',
  haveAccount: 'Schon ein Konto?',
  codeInstead: 'Stattdessen Code oder Link per E-Mail',
  clearCookies: 'Probleme beim Anmelden? Cookies löschen',
  codeTitle: 'Per E-Mail anmelden',
  codeIntro: 'Wir schicken dir einen Link und einen Code. Beide melden dich an, ohne Passwort.',
  sessionEnded: 'Du wurdest abgemeldet. Melde dich an, um weiterzumachen.',
  signOutFailed:
    'Andere Geräte sind vielleicht noch angemeldet: Der Server konnte ihre Sitzungen nicht beenden. Melde dich an und versuche es noch einmal.',
  offline: 'Keine Verbindung. Du kannst das ausfüllen, aber nicht absenden.',
};
