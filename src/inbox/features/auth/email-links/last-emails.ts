import { readStored, writeStored } from '../../../ui/state/stored-value.ts';

const key = 'mailed-to';
/** No link or code is valid for longer. */
const keptMs = 3_600_000;

/** The address that this browser last requested a mail for; fills the form when its link fails. */
export const lastMailedEmail = {
  get(nowMs = Date.now()): string {
    const [sentAtMs, email = ''] = readStored(key)?.split(' ') ?? [];
    return nowMs - Number(sentAtMs) < keptMs ? email : '';
  },
  set: (email: string, nowMs = Date.now()) => writeStored(key, `${nowMs} ${email}`),
  forget: () => writeStored(key, null),
};

let typedEmail = '';

/** The email address last typed, carried between the auth screens (WCAG 3.3.7). */
export const lastTypedEmail = {
  get: () => typedEmail,
  set(entered: string) {
    typedEmail = entered.trim();
  },
};
