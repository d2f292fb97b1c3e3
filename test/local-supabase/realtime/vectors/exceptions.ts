/** Scenarios that the embedded server answers otherwise, each with the reason; `docs/embedded-supabase.md` lists them too. */
export const exceptions: Readonly<Record<string, string>> = {};
