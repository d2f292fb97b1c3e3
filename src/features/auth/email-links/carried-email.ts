let email = '';

/** The address that was last typed, so that nobody types it twice on the way through the screens (WCAG 3.3.7). */
export const carriedEmail = {
  get: () => email,
  set(entered: string) {
    email = entered.trim();
  },
};
