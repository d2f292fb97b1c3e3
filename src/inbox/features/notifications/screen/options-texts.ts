import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './options-texts.en.ts';

export const optionsTexts = defineTexts(texts, { de: () => import('./options-texts.de.ts') });
