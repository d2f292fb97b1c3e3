import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './sender-texts.en.ts';

export const senderTexts = defineTexts(texts, { de: () => import('./sender-texts.de.ts') });
