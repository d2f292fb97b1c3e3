import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './preferences-texts.en.ts';

export const preferencesTexts = defineTexts(texts, { de: () => import('./preferences-texts.de.ts') });
