import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit, type AuditSource } from '../../audit/audit.ts';
import { assertStatus } from '../../target/wire.ts';
import { openLibrary, requireVersion } from './library.ts';

const audit = auditsOf('rest');

export interface ReadTable {
  readonly id: string;
  readonly title: string;
  /** Paths with queries, and the rows of the response. */
  readonly reads: readonly (readonly [search: string, rows: unknown])[];
  /** The major version that introduced the feature, unless version 12 has it. */
  readonly leastVersion?: number;
}

/** Audits that read the library, and compare the rows. */
export const auditsOfReads = (source: AuditSource, tables: readonly ReadTable[]): readonly Audit[] =>
  tables.map(({ id, title, reads, leastVersion }) =>
    audit(
      id,
      title,
      {
        source,
        needs: leastVersion === undefined ? ['database'] : ['database', 'service-key'],
        since: '1.0.0',
      },
      async (context) => {
        if (leastVersion !== undefined) await requireVersion(context, leastVersion);
        const send = await openLibrary(context);
        for (const [search, rows] of reads) {
          const response = await send('GET', search);
          assertStatus(response, 200);
          assert.deepEqual(response.json, rows, `the rows of ${search}`);
        }
      },
    ),
  );
