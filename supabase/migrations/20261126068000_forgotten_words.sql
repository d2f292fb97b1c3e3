-- The deletion of an account leaves the words of what it sent to the delivery job: to write them again took two thirds of the
-- deletion's time, and an account that had sent thousands of notifications waited for its answer until the request ended.
create table private.forgotten_words (
  notification_id uuid primary key
);

/** After a service changed the content of a notification, or the account of its sender was deleted. */
create or replace function private.renew_words() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if old.sender_id is not null and new.sender_id is null then
    insert into private.forgotten_words (notification_id) values (new.id) on conflict do nothing;
    perform pg_notify('outgoing_notifications', '');
    return null;
  end if;
  update private.notification_words w
  set words = private.notification_words(
    new.recipient_id,
    new.content,
    coalesce((select p.language from public.notification_preferences p where p.user_id = new.recipient_id), 'en')
  )
  where w.notification_id = new.id;
  return null;
end
$$;

/** Writes the words of notifications without the names of their deleted senders. Returns whether there were any. */
create function private.renew_forgotten_words(batch_size integer) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  ids uuid[];
begin
  with taken as (
    delete from private.forgotten_words f
    where f.notification_id in (
      select o.notification_id from private.forgotten_words o limit batch_size for update skip locked
    )
    returning f.notification_id
  )
  select array_agg(t.notification_id) into ids from taken t;
  update private.notification_words w
  set words = private.notification_words(n.recipient_id, n.content, coalesce(p.language, 'en'))
  from public.notifications n left join public.notification_preferences p on p.user_id = n.recipient_id
  where n.id = any (ids) and w.notification_id = n.id;
  return ids is not null;
end
$$;

/**
 * Delivers everything that users and backends have queued, and renews the words of deleted senders, each batch in a transaction of its
 * own. A job calls it each second; the embedded service calls it after each notification of the channel `outgoing_notifications`.
 */
create or replace procedure private.deliver_outgoing(batch_size integer default 100)
  language plpgsql
as $$
begin
  while private.deliver_outgoing_batch(batch_size) > 0 loop
    commit;
  end loop;
  while private.deliver_message_batch(batch_size) loop
    commit;
  end loop;
  while private.renew_forgotten_words(batch_size) loop
    commit;
  end loop;
end
$$;

revoke all on all functions in schema private from public;
