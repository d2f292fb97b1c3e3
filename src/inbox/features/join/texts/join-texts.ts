import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './join-texts.en.ts';

export const joinTexts = defineTexts(texts, { de: () => import('./join-texts.de.ts') });
