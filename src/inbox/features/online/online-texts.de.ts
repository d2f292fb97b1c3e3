import type { Translation } from '../../ui/texts.ts';
import type { texts as english } from './online-texts.en.ts';

export const texts: Translation<typeof english> = {
  online: 'Online',
};
