import type { Translation } from '../../../ui/texts.ts';
import type { texts as english } from './privacy-texts.en.ts';

export const texts: Translation<typeof english> = {
  title: 'Privatsphäre',
  showOnline: 'Zeigen, wenn ich online bin',
  showOnlineHint:
    'Wer eine angenommene Einladung mit dir teilt, sieht einen Punkt neben deinem Namen. Blockierte Absender sehen ihn nicht.',
};
