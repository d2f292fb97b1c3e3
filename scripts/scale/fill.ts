import type { ScaleDatabase } from './scale-database.ts';

export const userCount = 1_000;
/** The user who has a fifth of all notifications. */
export const heavyUser = '00000000-0000-4000-8000-000000000001';

const idOf = (number: string) => `('00000000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;

interface IndexRow {
  readonly name: string;
  readonly definition: string;
}

/**
 * Builds `rows` notifications over 1,000 users, a fifth of them of one user. Triggers are off and indexes are built
 * afterwards; counters and words are then made by the migrations' own functions or in their form.
 */
export async function fill(database: ScaleDatabase, rows: number): Promise<void> {
  const indexes = await database.query<IndexRow>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('public.notifications'::regclass, 'private.notification_words'::regclass)
       and not indisprimary and not indisreplident`,
  );
  await prepareTables(database, indexes);
  await createSamples(database);
  // This many rows fit into the memory of a statement; the embedded database is slow to write temporary files.
  const chunk = 10_000;
  for (let from = 1; from <= rows; from += chunk)
    await insertRows(database, rows, from, Math.min(from + chunk - 1, rows));
  await database.exec(`
    drop table samples;
    set session_replication_role = origin;
    ${indexes.map(({ definition }) => `${definition};`).join('\n')}
    reset work_mem;
    reset maintenance_work_mem;
    select count(private.repair_counters(id)) from auth.users;
  `);
  for (const table of ['public.notifications', 'private.notification_words', 'public.notification_counters'])
    await database.exec(`vacuum analyze ${table}`);
}

async function prepareTables(database: ScaleDatabase, indexes: readonly IndexRow[]): Promise<void> {
  await database.exec(`
    truncate public.notifications;
    set session_replication_role = replica;
    set work_mem = '64MB';
    set maintenance_work_mem = '256MB';
    insert into auth.users (instance_id, id, email, email_confirmed_at, aud, role, created_at)
      select '00000000-0000-0000-0000-000000000000', ${idOf('n')}, 'user' || n || '@example.com', now(),
        'authenticated', 'authenticated', now()
      from generate_series(1, ${userCount}) n on conflict do nothing;
    insert into public.notification_preferences (user_id)
      select id from auth.users on conflict do nothing;
    ${indexes.map(({ name }) => `drop index ${name};`).join('\n')}
  `);
}

/** The contents that all rows repeat, with their words. */
async function createSamples(database: ScaleDatabase): Promise<void> {
  await database.exec(`
    create temporary table samples as
      select n as number, jsonb_build_object(
        'type', (array['mention', 'edit', 'edit', 'comment', 'comment', 'invite'])[1 + n % 6],
        'metadata', jsonb_build_object('actor_id', ${idOf('2 + n % 900')}, 'actor_name', 'Sender ' || n % 50),
        'entity_type', 'document', 'entity_id', 'doc-' || n,
        'data', jsonb_build_object(
          'entity_name', 'Plan ' || n % 200,
          'text', 'Please read the notes about chapter ' || n % 40
            || case when n % 2000 = 5 then ' harbor' else '' end
            || case when n % 100 = 10 then ' anchor' else '' end || case when n = 4320 then ' zebra' else '' end
        )
      )::text as content
      from generate_series(0, 9999) n;
    alter table samples add primary key (number);
    -- The words as the text of a tsvector, with "@" for the prefix of the recipient.
    alter table samples add words text;
    update samples set words = (
      select string_agg(quote_literal('@' || right(word, -8)), ' ')
      from unnest(tsvector_to_array(private.notification_words('${heavyUser}', content, 'en'))) word
    );
    alter table samples add kind text;
    update samples set kind = content::jsonb ->> 'type';
    analyze samples;
  `);
}

async function insertRows(database: ScaleDatabase, rows: number, from: number, to: number): Promise<void> {
  await database.exec(`
    with made as materialized (
      select
        n,
        gen_random_uuid() as id,
        case when n % 5 = 0 then '${heavyUser}'::uuid else ${idOf(`2 + n % ${userCount - 1}`)} end as recipient_id,
        now() - (${rows} - n) * interval '1 second' as at,
        s.content,
        s.kind,
        s.words
      from generate_series(${from}, ${to}) n
      join samples s on s.number = (n::bigint * 7919) % 10000
    ),
    inserted as (
      insert into public.notifications (id, recipient_id, sender_id, status, kind, content, created_at, updated_at)
      select
        id,
        recipient_id,
        ${idOf('2 + n % 900')},
        (array['unread', 'read', 'read', 'read', 'read', 'read', 'archived', 'archived', 'archived', 'archived'])
          [1 + abs(hashint4(n)::bigint) % 10],
        kind,
        content,
        at,
        at
      from made
    )
    insert into private.notification_words (notification_id, words)
    select id, replace(words, '@', private.word_prefix(recipient_id))::tsvector from made;
  `);
}
