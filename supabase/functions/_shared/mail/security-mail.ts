import { formatTime } from './mail-layout.ts';
import type { MailContent } from './mail-layout.ts';
import { mailTextsOf } from './mail-texts.ts';
import type { QueuedMail, SecurityEvent } from './queued-mail.ts';

/** Subject and content of a mail about the safety of the recipient's account. */
export interface SecurityMail {
  readonly subject: string;
  readonly content: MailContent;
}

interface SecurityTexts {
  readonly newDevice: string;
  readonly newDeviceText: (device: string, time: string, ip: string | null) => string;
  readonly recoveryUsed: string;
  readonly recoveryUsedText: (device: string, time: string, ip: string | null) => string;
  readonly codesCreated: string;
  readonly codesCreatedText: (time: string) => string;
  readonly passkeyAdded: string;
  readonly passkeyAddedText: (name: string, time: string) => string;
  readonly passkeyRemoved: string;
  readonly passkeyRemovedText: (name: string, time: string) => string;
  readonly device: (browser: string | null, system: string | null) => string;
  readonly devicesButton: string;
  readonly passkeysButton: string;
  readonly why: string;
}

const english: SecurityTexts = {
  newDevice: 'New sign-in to your account',
  newDeviceText: (device, time, ip) =>
    `Your account was signed in to from ${device} on ${time}${ip ? ` (IP address ${ip})` : ''}. ` +
    'If this was you, there’s nothing to do. If this wasn’t you, sign out that device and change your password.',
  recoveryUsed: 'A recovery code was used to sign in',
  recoveryUsedText: (device, time, ip) =>
    `A recovery code of your account was used from ${device} on ${time}${ip ? ` (IP address ${ip})` : ''}. ` +
    'It took the place of the code of your authenticator, and won’t work again. ' +
    'If this wasn’t you, change your password at once, sign out all other devices and create new codes.',
  codesCreated: 'New recovery codes were created',
  codesCreatedText: (time) =>
    `New recovery codes for your account were created on ${time}. The earlier ones no longer work. ` +
    'If this wasn’t you, change your password and create new codes.',
  passkeyAdded: 'A passkey was added to your account',
  passkeyAddedText: (name, time) =>
    `The passkey “${name}” was added to your account on ${time}. It signs in without your password. ` +
    'If this wasn’t you, remove it, sign out all other devices and change your password.',
  passkeyRemoved: 'A passkey was removed from your account',
  passkeyRemovedText: (name, time) =>
    `The passkey “${name}” was removed from your account on ${time}. It no longer signs in. ` +
    'If this wasn’t you, sign out all other devices and change your password.',
  device: (browser, system) =>
    browser && system ? `${browser} on ${system}` : (browser ?? system ?? 'an unknown device'),
  devicesButton: 'Check your devices',
  passkeysButton: 'Check your passkeys',
  why: 'You get this email because it is about the security of your account.',
};

const german: SecurityTexts = {
  newDevice: 'Neue Anmeldung bei deinem Konto',
  newDeviceText: (device, time, ip) =>
    `Am ${time} gab es eine Anmeldung bei deinem Konto mit ${device}${ip ? ` (IP-Adresse ${ip})` : ''}. ` +
    'Wenn du das warst, ist nichts zu tun. Wenn du das nicht warst, melde dieses Gerät ab und ändere dein Passwort.',
  recoveryUsed: 'Anmeldung mit einem Wiederherstellungscode',
  recoveryUsedText: (device, time, ip) =>
    `Am ${time} wurde mit ${device} ein Wiederherstellungscode deines Kontos benutzt${ip ? ` (IP-Adresse ${ip})` : ''}. ` +
    'Er hat den Code deiner Authenticator-App ersetzt und gilt nicht noch einmal. ' +
    'Wenn du das nicht warst, ändere sofort dein Passwort, melde alle anderen Geräte ab und erstelle neue Codes.',
  codesCreated: 'Neue Wiederherstellungscodes wurden erstellt',
  codesCreatedText: (time) =>
    `Am ${time} wurden neue Wiederherstellungscodes für dein Konto erstellt. Die früheren gelten nicht mehr. ` +
    'Wenn du das nicht warst, ändere dein Passwort und erstelle neue Codes.',
  passkeyAdded: 'Ein Passkey wurde deinem Konto hinzugefügt',
  passkeyAddedText: (name, time) =>
    `Am ${time} wurde deinem Konto der Passkey „${name}“ hinzugefügt. Er meldet ohne dein Passwort an. ` +
    'Wenn du das nicht warst, entferne ihn, melde alle anderen Geräte ab und ändere dein Passwort.',
  passkeyRemoved: 'Ein Passkey wurde von deinem Konto entfernt',
  passkeyRemovedText: (name, time) =>
    `Am ${time} wurde der Passkey „${name}“ von deinem Konto entfernt. Er meldet nicht mehr an. ` +
    'Wenn du das nicht warst, melde alle anderen Geräte ab und ändere dein Passwort.',
  device: (browser, system) =>
    browser && system ? `${browser} unter ${system}` : (browser ?? system ?? 'einem unbekannten Gerät'),
  devicesButton: 'Geräte prüfen',
  passkeysButton: 'Passkeys prüfen',
  why: 'Du bekommst diese E-Mail, weil es um die Sicherheit deines Kontos geht.',
};

export function renderSecurityMail(mail: QueuedMail, event: SecurityEvent, appUrl: string): SecurityMail {
  const texts = mailTextsOf(mail.language);
  const words = texts.language === 'de' ? german : english;
  const time = formatTime(Date.parse(event.created_at), texts.language, mail.time_zone);
  const [subject, intro] = describe(event, time, words);
  return {
    subject,
    content: {
      appUrl,
      texts,
      timeZone: mail.time_zone,
      title: subject,
      intro,
      groups: [],
      more: null,
      button: event.kind.startsWith('passkey_')
        ? { label: words.passkeysButton, url: `${appUrl}/account#passkeys` }
        : { label: words.devicesButton, url: `${appUrl}/account#devices` },
      why: words.why,
      footer: [],
    },
  };
}

function describe(event: SecurityEvent, time: string, words: SecurityTexts): readonly [string, string] {
  const device = nameDevice(event.detail.user_agent ?? '', words);
  const ip = event.detail.ip ?? null;
  const name = event.detail.name || 'Passkey';
  switch (event.kind) {
    case 'new_device':
      return [words.newDevice, words.newDeviceText(device, time, ip)];
    case 'recovery_code_used':
      return [words.recoveryUsed, words.recoveryUsedText(device, time, ip)];
    case 'recovery_codes_created':
      return [words.codesCreated, words.codesCreatedText(time)];
    case 'passkey_added':
      return [words.passkeyAdded, words.passkeyAddedText(name, time)];
    case 'passkey_removed':
      return [words.passkeyRemoved, words.passkeyRemovedText(name, time)];
  }
}

/** The order matters: most browsers name others, too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|HeadlessChrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

function nameDevice(userAgent: string, words: SecurityTexts): string {
  const find = (list: typeof browsers) => list.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  return words.device(find(browsers), find(systems));
}
