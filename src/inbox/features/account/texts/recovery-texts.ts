import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './recovery-texts.en.ts';

export const recoveryTexts = defineTexts(texts, { de: () => import('./recovery-texts.de.ts') });
