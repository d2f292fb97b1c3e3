const key = 'mailed-to';
/** As long as a link or code of the mail may hold. */
const keptMs = 3_600_000;

/** Whom this browser last asked a mail for: where its link fails, the next mail is one click away. */
export const mailedEmail = {
  get(nowMs = Date.now()): string {
    const [sentAtMs, email = ''] = read()?.split(' ') ?? [];
    return nowMs - Number(sentAtMs) < keptMs ? email : '';
  },
  set(email: string, nowMs = Date.now()) {
    try {
      localStorage.setItem(key, `${nowMs} ${email}`);
    } catch {
      // Storage is blocked: then the address is typed once more.
    }
  },
  forget() {
    try {
      localStorage.removeItem(key);
    } catch {
      // Nothing was kept.
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
