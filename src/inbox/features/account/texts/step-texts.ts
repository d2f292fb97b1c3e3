import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './step-texts.en.ts';

export const stepTexts = defineTexts(texts, { de: () => import('./step-texts.de.ts') });
