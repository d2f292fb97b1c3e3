/**
 * Scenarios in which the embedded server deviates, each with the reason; also listed in
 * `local-supabase/docs/embedded-supabase.md`.
 */
export const exceptions: Readonly<Record<string, string>> = {
  B66: 'recorded from 2.129.8, which does not know `postgres_changes_options.wait`; later versions refuse the join',
};
