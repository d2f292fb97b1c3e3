import { defineTexts } from '../../ui/texts.ts';
import { texts } from './app-texts.en.ts';

/** The texts of the shell: navigation, display, errors. */
export const appTexts = defineTexts(texts, { de: () => import('./app-texts.de.ts') });
