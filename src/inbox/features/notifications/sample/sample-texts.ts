import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './sample-texts.en.ts';

export const sampleTexts = defineTexts(texts, { de: () => import('./sample-texts.de.ts') });
