import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './privacy-texts.en.ts';

export const privacyTexts = defineTexts(texts, { de: () => import('./privacy-texts.de.ts') });
