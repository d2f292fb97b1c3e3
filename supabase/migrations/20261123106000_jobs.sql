-- The jobs. They are scheduled last: a job that ran between two files of a deployment would miss what the later ones define.

-- Each job runs at most once at a time, as one worker. The workers share the due rows.
select private.schedule_job('notification-delivery', '1 second', 'call private.deliver_outgoing()', '{pg_cron}');
select private.schedule_job('notification-delivery-2', '1 second', 'call private.deliver_outgoing()', '{pg_cron}');
select private.schedule_job('notification-retention', '* * * * *', 'call private.run_retention()', '{pg_cron}');
select private.schedule_job('notification-counters', '20 3 * * *', 'call private.run_counter_repair()', '{pg_cron}');
select private.schedule_job(
  'notification-mails', '* * * * *', 'select private.call_mail_worker()', '{pg_cron,pg_net}'
);
select private.schedule_job(
  'notification-push', '10 seconds', 'select private.call_push_worker()', '{pg_cron,pg_net}'
);
select private.schedule_job(
  'notification-webhooks', '10 seconds', 'select private.call_webhook_worker()', '{pg_cron,pg_net}'
);
