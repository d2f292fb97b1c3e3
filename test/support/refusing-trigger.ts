import type { Database } from 'local-supabase';

/** Runs `task` while a team's trigger refuses notifications to a user, with an error that the schema does not know. */
export async function whileRefusing<T>(
  database: Database,
  userId: string,
  task: () => Promise<T>,
): Promise<T> {
  await database.exec(`
    create function public.refuse_recipient() returns trigger language plpgsql as
      $$ begin raise exception 'This team refuses.'; end $$;
    create trigger refuse_recipient before insert on public.notifications
      for each row when (new.recipient_id = '${userId}') execute function public.refuse_recipient();`);
  try {
    return await task();
  } finally {
    await database.exec(
      'drop trigger refuse_recipient on public.notifications; drop function public.refuse_recipient()',
    );
  }
}
