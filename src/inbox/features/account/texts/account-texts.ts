import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './account-texts.en.ts';

export const accountTexts = defineTexts(texts, { de: () => import('./account-texts.de.ts') });
