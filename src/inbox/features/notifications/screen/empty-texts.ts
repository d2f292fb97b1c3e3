import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './empty-texts.en.ts';

export const emptyTexts = defineTexts(texts, { de: () => import('./empty-texts.de.ts') });
