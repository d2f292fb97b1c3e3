import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './waiting-texts.en.ts';

export const waitingTexts = defineTexts(texts, { de: () => import('./waiting-texts.de.ts') });
