import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './snooze-texts.en.ts';

export const snoozeTexts = defineTexts(texts, { de: () => import('./snooze-texts.de.ts') });
