import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './setting-names.en.ts';

export const settingNames = defineTexts(texts, { de: () => import('./setting-names.de.ts') });
