import { defineTexts } from '../../ui/texts.ts';
import { texts } from './online-texts.en.ts';

export const onlineTexts = defineTexts(texts, { de: () => import('./online-texts.de.ts') });
