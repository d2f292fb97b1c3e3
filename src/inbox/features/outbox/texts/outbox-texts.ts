import { defineTexts } from '../../../ui/texts.ts';
import { texts } from './outbox-texts.en.ts';

export const outboxTexts = defineTexts(texts, { de: () => import('./outbox-texts.de.ts') });
