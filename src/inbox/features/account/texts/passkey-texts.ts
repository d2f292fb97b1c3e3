import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './passkey-texts.en.ts';

export const passkeyTexts = defineTexts(texts, { de: () => import('./passkey-texts.de.ts') });
