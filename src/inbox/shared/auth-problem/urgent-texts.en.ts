/** The two messages that are bundled with the forms, for when no other text can be loaded. */
export const texts = {
  network: 'Can’t reach the server. Check your connection and try again.',
  unknown: 'Something went wrong. Please try again.',
};

export type UrgentTexts = typeof texts;
