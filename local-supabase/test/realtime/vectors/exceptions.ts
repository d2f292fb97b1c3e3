/** Scenarios in which the embedded server deviates, each with the reason; `local-supabase/docs/embedded-supabase.md` lists them too. */
export const exceptions: Readonly<Record<string, string>> = {};
