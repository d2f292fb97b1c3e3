import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './detail-texts.en.ts';

export const detailTexts = defineTexts(texts, { de: () => import('./detail-texts.de.ts') });
