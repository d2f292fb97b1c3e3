-- Every list of the application is an index's range in the index's order. Three settings of the role that the data
-- service takes keep PostgreSQL to it, because it has no statistics of these tables to compare plans by:
-- without `enable_sort = off` it sorts all rows of a small account, and of an account whose table has an empty partition,
-- since scanning that costs nothing; a request that can only be answered by sorting still is, at a cost that would start
-- the JIT compiler; and the generic plan of a prepared statement, which it prefers after five executions, cannot use
-- the partial indexes.
alter role authenticated set enable_sort = off;
alter role authenticated set jit = off;
alter role authenticated set plan_cache_mode = force_custom_plan;

-- A partial index for each list has fewer entries than one index by status: none for what was read. Marking a row as
-- read writes two index entries less. As the smallest index that fits it also wins in a table of so few rows that all
-- plans are estimated to read one.
drop index public.notifications_status_idx;
drop index public.notifications_status_kind_idx;
create index notifications_unread_idx on public.notifications (recipient_id, created_at desc, id desc)
  where status = 'unread';
create index notifications_unread_kind_idx on public.notifications (recipient_id, kind, created_at desc, id desc)
  where status = 'unread';
create index notifications_archived_idx on public.notifications (recipient_id, created_at desc, id desc)
  where status = 'archived';
create index notifications_archived_kind_idx on public.notifications (recipient_id, kind, created_at desc, id desc)
  where status = 'archived';

-- The invitations of one sender to one recipient, by the sender first: an index that began with the recipient looked as
-- good for a list of invitations as the list's own index, and all invitations were read.
drop index public.notifications_invitations_idx;
create index notifications_invitations_idx on public.notifications (sender_id, recipient_id) where kind = 'invite';
