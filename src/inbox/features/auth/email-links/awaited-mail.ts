/** A mail that was sent, and whose code this screen waits for. */
export interface AwaitedMail {
  readonly purpose: 'signup' | 'magiclink' | 'recovery';
  readonly email: string;
}

/**
 * The mail of this history entry: survives a reload, such as on a phone that needed the memory for the mail program, and ends
 * with the next navigation.
 */
export const awaitedMail = {
  /** The address of the awaited mail; null: the entry waits for no mail of this purpose. */
  emailOf(purpose: AwaitedMail['purpose']): string | null {
    const state: unknown = history.state;
    return isAwaitedMail(state) && state.purpose === purpose ? state.email : null;
  },
  set: (mail: AwaitedMail | null) => history.replaceState(mail, ''),
};

function isAwaitedMail(state: unknown): state is AwaitedMail {
  return typeof state === 'object' && state !== null && 'purpose' in state && 'email' in state;
}
