import { readStored, writeStored } from '../ui/state/stored-value.ts';

const storageKey = 'has-used-passkey';

/** Whether a passkey was added or used in this browser: its autofill is worth a challenge at once. False if storage is blocked. */
export const hasUsedPasskey = (): boolean => readStored(storageKey) !== null;

/** Remembers the use for later visits; it names neither the passkey nor the user. */
export const rememberPasskeyUse = (): void => writeStored(storageKey, '1');
