import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './part-texts.en.ts';

export const partTexts = defineTexts(texts, { de: () => import('./part-texts.de.ts') });
