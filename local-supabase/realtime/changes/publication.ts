import type { Database } from '../../database/database.ts';

/** Notices when other tables are published than before. */
export interface PublicationWatch {
  /** Looks at the publication, and calls `onChange` if its tables changed since it looked last. */
  check(): Promise<void>;
}

export async function watchPublication(
  database: Database,
  publication: string,
  onChange: () => void,
): Promise<PublicationWatch> {
  const tables = async () => {
    const [row] = await database.query<{ tables: string | null }>(
      `select string_agg(format('%I.%I', schemaname, tablename), ',' order by schemaname, tablename) as tables
       from pg_publication_tables where pubname = $1`,
      [publication],
    );
    return row?.tables ?? '';
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
