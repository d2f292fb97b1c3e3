import type { Database } from '../../../database/database.ts';

/** Detects changes of the published tables. */
export interface PublicationWatch {
  /** Calls `onChange` if the tables changed since the last check. */
  check(): Promise<void>;
}

export async function watchPublication(
  database: Database,
  publication: string,
  onChange: () => void,
): Promise<PublicationWatch> {
  const tables = async () => {
    const [row] = await database.query<{ tables: string | null }>(
      `select string_agg(format('%I.%I', schemaname, tablename)::regclass::oid::text, ',' order by schemaname, tablename) as tables
       from pg_publication_tables where pubname = $1`,
      [publication],
    );
    return row?.tables;
  };
  let known = await tables();
  return {
    async check() {
      const current = await tables();
      if (current === known) return;
      known = current;
      onChange();
    },
  };
}
