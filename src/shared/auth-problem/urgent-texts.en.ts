/** The two messages that must be there before any other can be loaded. */
export const texts = {
  network: 'The server cannot be reached. Check your connection and try again.',
  unknown: 'Something unexpected went wrong. Please try again.',
};

export type UrgentTexts = typeof texts;
