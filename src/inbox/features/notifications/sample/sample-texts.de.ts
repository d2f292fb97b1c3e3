import type { SampleTexts } from './sample-texts.en.ts';

export const texts: SampleTexts = {
  send: 'Beispiel senden',
  sent: 'Ein Beispiel ist unterwegs.',
  failed: 'Das Beispiel konnte nicht gesendet werden. Sieh im Terminal von npm start nach.',
};
