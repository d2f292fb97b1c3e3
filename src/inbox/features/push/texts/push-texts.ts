import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './push-texts.en.ts';

export const pushTexts = defineTexts(texts, { de: () => import('./push-texts.de.ts') });
