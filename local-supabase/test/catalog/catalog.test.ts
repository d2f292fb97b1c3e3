import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/project/open-database.ts';
import { CATALOG_FACTS } from './catalog-facts.ts';

/**
 * What the embedded database lacks or has besides, with the reason. `recorded.txt` is the catalog of PostgreSQL 17.12
 * with the vendor's roles and supautils 3.4.0, after the migrations of auth bc32168, storage 4fa61fb and Realtime
 * 2.129.8: `psql -At` with these facts.
 */
const DIFFERENCES: readonly (readonly [fact: RegExp, reason: string])[] = [
  [/^role supabase_auth_admin: /, 'the vendor has revoked createrole since'],
  [/^event trigger issue_pg_(?:cron|net)_access/, 'the extensions grant the access themselves'],
  [/^event trigger realtime_follow_/, 'takes the place of reading the publication by a timer'],
  [/^publication supabase_realtime_messages_publication/, 'messages are announced by a trigger'],
  [/^trigger (?:realtime_announce on realtime.messages|tr_check_filters)/, 'of the replication'],
  [
    /^function realtime\.(?:apply_rls|build_prepared|cast|check_equality_op|is_visible|list_changes|quote_wal2json|subscription_check|to_regrole|wal2json_escape)/,
    'of the replication, which the embedded service does by an outbox',
  ],
  [/^(?:table realtime\.(?:subscription|schema_migrations)|type realtime\.)/, 'of the replication'],
  [
    /^function realtime\.(?:announce_message|capture|follow_schema|maintain_messages|permissions|unchanged_toast|visible|waiting|watch_publication)/,
    'of the outbox',
  ],
  [/^table realtime\.(?:outbox|process)/, 'of the outbox'],
  [
    /^function storage\.(?:list_\w+_with_delimiter|search_by_timestamp|search_v2)/,
    'only the service calls it',
  ],
  [/^table storage\.(?:buckets_\w+|iceberg_\w+|vector_\w+|s3_\w+)/, 'of analytics, vectors and S3'],
  [/^table (?:auth\.schema_migrations|storage\.migrations)/, 'the services have no migrations'],
  [/^table auth\.(?:instances|oauth_client_states)/, 'not used'],
  [/^table auth\.mfa_recovery_code/, 'of a later version of auth'],
  [/^table storage\.resumable_uploads/, 'the service keeps uploads outside of the database'],
];

describe('the catalog before the first migration', () => {
  it('has the roles, owners and grants of a hosted project', async () => {
    const { database } = await openDatabase({
      project: new URL('../rest/no-project/', import.meta.url),
      seed: false,
    });
    const own = (await database.query<{ fact: string }>(CATALOG_FACTS)).map(({ fact }) => fact);
    await database.close();
    const recorded = (await readFile(new URL('recorded.txt', import.meta.url), 'utf8')).trimEnd().split('\n');
    const differing = [
      ...recorded.filter((fact) => !own.includes(fact)),
      ...own.filter((fact) => !recorded.includes(fact)),
    ];
    const isKnown = (fact: string) => DIFFERENCES.some(([pattern]) => pattern.test(fact));
    expect(differing.filter((fact) => !isKnown(fact))).toEqual([]);
    const unused = DIFFERENCES.filter(([pattern]) => !differing.some((fact) => pattern.test(fact)));
    expect(unused.map(([, reason]) => reason)).toEqual([]);
  });
});
