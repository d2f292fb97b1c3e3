import type { CredentialTexts } from './credential-texts.en.ts';

export const texts: CredentialTexts = {
  showPassword: 'Passwort zeigen',
  hidePassword: 'Passwort verbergen',
  capsLock: 'Die Feststelltaste ist an.',
  emailMissing: 'Gib deine E-Mail-Adresse ein.',
  emailMalformed: 'Das sieht nicht nach einer E-Mail-Adresse aus. Beispiel: ada@example.com',
  passwordMissing: 'Gib dein Passwort ein.',
  newPasswordMissing: 'Wähle ein Passwort.',
  passwordTooShort: 'Nimm mindestens 8 Zeichen.',
  passwordTooLong: 'Nimm höchstens 72 Zeichen.',
  codeMissing: 'Gib den Code aus der Mail ein.',
  codeMalformed: 'Der Code besteht aus 6 oder mehr Ziffern.',
  strength: {
    label: 'Stärke',
    levels: ['sehr schwach', 'schwach', 'mäßig', 'gut', 'stark'],
    hint: 'Länger ist stärker: Ein paar Wörter ohne Zusammenhang sind ein gutes Passwort.',
  },
};
