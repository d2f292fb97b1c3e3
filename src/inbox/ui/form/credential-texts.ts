import { texts } from './credential-texts.en.ts';
import { defineTexts } from '../texts.ts';

/** The texts of the fields for addresses, passwords and codes. */
export const credentialTexts = defineTexts(texts, { de: () => import('./credential-texts.de.ts') });
