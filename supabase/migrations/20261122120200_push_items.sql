-- Items of push messages outlive their notifications, as those of mails do: a foreign key would keep the table of
-- notifications from being truncated. private.push_items() leaves deleted notifications out.
alter table private.push_message_items drop constraint push_message_items_notification_id_fkey;
