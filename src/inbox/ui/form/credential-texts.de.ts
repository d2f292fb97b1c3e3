import type { CredentialTexts } from './credential-texts.ts';

export const german: CredentialTexts = {
  showPassword: 'Passwort anzeigen',
  hidePassword: 'Passwort verbergen',
  capsLock: 'Die Feststelltaste ist aktiv.',
  emailMissing: 'Gib deine E‑Mail-Adresse ein.',
  emailMalformed: 'Das sieht nicht nach einer E‑Mail-Adresse aus. Beispiel: ada@example.com',
  passwordMissing: 'Gib dein Passwort ein.',
  newPasswordMissing: 'Wähle ein Passwort.',
  passwordTooShort: 'Nimm mindestens 8 Zeichen.',
  passwordTooLong: 'Nimm höchstens 72 Zeichen.',
  passwordTooCommon: 'Dieses Passwort ist zu leicht zu erraten. Hänge noch ein oder zwei Wörter an.',
  codeMissing: 'Gib den Code ein.',
  codeMalformed: (digits) => `Gib den ${digits}-stelligen Code ein.`,
  slow: 'Einen Moment noch. Deine Verbindung scheint langsam zu sein.',
  strength: {
    label: 'Stärke',
    levels: ['sehr schwach', 'schwach', 'mittel', 'gut', 'stark'],
    hint: 'Ein paar Wörter ohne Zusammenhang ergeben ein gutes Passwort.',
  },
};
