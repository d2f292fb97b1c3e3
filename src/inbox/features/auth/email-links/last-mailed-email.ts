const key = 'mailed-to';
/** No link or code is valid for longer. */
const keptMs = 3_600_000;

/** The address that this browser last requested a mail for; fills the form when its link fails. */
export const lastMailedEmail = {
  get(nowMs = Date.now()): string {
    const [sentAtMs, email = ''] = read()?.split(' ') ?? [];
    return nowMs - Number(sentAtMs) < keptMs ? email : '';
  },
  set(email: string, nowMs = Date.now()) {
    try {
      localStorage.setItem(key, `${nowMs} ${email}`);
    } catch {
      // Storage is blocked: the address has to be typed again.
    }
  },
  forget() {
    try {
      localStorage.removeItem(key);
    } catch {
      // Storage is blocked: nothing was stored.
    }
  },
};

function read(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
