const storageKey = 'has-used-passkey';

/** Whether a passkey was added or used in this browser: its autofill is worth a challenge at once. False if storage is blocked. */
export function hasUsedPasskey(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false;
  }
}

/** Remembers the use for later visits; it names neither the passkey nor the user. */
export function rememberPasskeyUse(): void {
  try {
    localStorage.setItem(storageKey, '1');
  } catch {
    // Storage is blocked: autofill begins when the email field has the focus.
  }
}
