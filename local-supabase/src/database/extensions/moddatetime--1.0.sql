-- A trigger that sets the column in its argument to the time of the transaction.
create function moddatetime() returns trigger
  language plpgsql
  as $$
  begin
    if tg_nargs <> 1 or tg_level <> 'ROW' or tg_when <> 'BEFORE' or tg_op <> 'UPDATE' then
      raise 'moddatetime: a trigger before update for each row with the name of a column is expected';
    end if;
    return jsonb_populate_record(new, jsonb_build_object(tg_argv[0], now()));
  end
  $$;
