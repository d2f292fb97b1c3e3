/** The time zone of this browser, an IANA name. */
export const ownTimeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;
