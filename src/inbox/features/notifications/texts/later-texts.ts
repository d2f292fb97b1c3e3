import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './later-texts.en.ts';

export const laterTexts = defineTexts(texts, { de: () => import('./later-texts.de.ts') });
