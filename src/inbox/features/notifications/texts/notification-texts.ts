import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './notification-texts.en.ts';

export const inboxTexts = defineTexts(texts, { de: () => import('./notification-texts.de.ts') });
