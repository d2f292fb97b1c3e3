import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './follow-up-texts.en.ts';

export const followUpTexts = defineTexts(texts, { de: () => import('./follow-up-texts.de.ts') });
