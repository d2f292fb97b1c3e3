let email = '';

/** The email address last typed, carried between the auth screens (WCAG 3.3.7). */
export const lastTypedEmail = {
  get: () => email,
  set(entered: string) {
    email = entered.trim();
  },
};
