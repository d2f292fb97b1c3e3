/**
 * The time zone of this browser, an IANA name of the form that the database stores, such as `Europe/Berlin`; null where the browser
 * has none: Chromium names an unknown zone `Etc/Unknown`, a system on GMT `+00:00`, and some by a rule such as `EST5EDT`.
 */
export function ownTimeZone(): string | null {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone === 'UTC' || (/^[A-Z][A-Za-z_]+\//.test(timeZone) && timeZone !== 'Etc/Unknown')
    ? timeZone
    : null;
}
