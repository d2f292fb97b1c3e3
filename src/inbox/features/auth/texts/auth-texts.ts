import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './auth-texts.en.ts';

export const authTexts = defineTexts(texts, { de: () => import('./auth-texts.de.ts') });
