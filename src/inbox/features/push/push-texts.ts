import { defineTexts, type Translation } from '../../ui/texts.ts';

const english = {
  title: 'This device',
  label: 'Alerts while no tab is open',
  hint: 'Your browser shows new notifications even when Tidings is closed. Quiet hours apply.',
  asking: 'Asking the browser…',
  denied:
    'This browser blocks notifications from this site. Allow them in the site settings, then try again.',
  noPushService:
    'Your browser couldn’t connect to its push service, so alerts stay off. Private windows and some networks block it. Try again later or in another browser.',
  failed: 'Alerts couldn’t be turned on. Check your connection and try again.',
  stopFailed: 'Alerts couldn’t be turned off. Check your connection and try again.',
};

export type PushTexts = Translation<typeof english>;

export const pushTexts = defineTexts<PushTexts>(english, () => import('./push-texts.de.ts'));
