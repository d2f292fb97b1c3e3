import { defineTexts } from '../../ui/texts.ts';
import { texts } from './rare-texts.en.ts';

/** The texts of what few visits show: they are no part of the first screen. */
export const rareTexts = defineTexts(texts, { de: () => import('./rare-texts.de.ts') });
