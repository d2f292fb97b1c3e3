import { defineTexts, type Translation } from '../../ui/texts.ts';

const english = {
  title: 'This device',
  label: 'Notify me on this device',
  hint: 'Also while Tidings is closed.',
  hintWhileOpen: 'While Tidings is open in another tab.',
  asking: 'Asking the browser…',
  denied:
    'This browser blocks notifications from this site. Allow them in the site settings, then try again.',
  noPushService:
    'Your browser couldn’t connect to its push service. You’re notified while Tidings is open in a background tab.',
  failed: 'Alerts couldn’t be turned on. Check your connection and try again.',
  stopFailed: 'Alerts couldn’t be turned off. Check your connection and try again.',
};

export type PushTexts = Translation<typeof english>;

export const pushTexts = defineTexts<PushTexts>(english, () => import('./push-texts.de.ts'));
