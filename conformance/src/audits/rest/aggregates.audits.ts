import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, at } from '../../target/wire.ts';
import { aggregates, withSetting } from './setting-window.ts';
import { requireVersion } from './library.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#aggregates';
const since = '1.0.0';

interface AggregateTable {
  readonly id: string;
  readonly title: string;
  /** Reads with aggregates switched on, and their rows. */
  readonly reads: readonly (readonly [search: string, rows: readonly object[]])[];
}

const tables: readonly AggregateTable[] = [
  {
    id: 'REST-528',
    title: 'sum, avg, max, min and count are computed where they are switched on, of the rows that match',
    reads: [
      ['/books?select=price.sum(),price.avg()&author_id=eq.1', [{ sum: 30.5, avg: 15.25 }]],
      ['/books?select=price.max(),price.min(),price.count()', [{ max: 30.25, min: 10.5, count: 3 }]],
      ['/books?select=count()', [{ count: 4 }]],
      ['/books?select=count()&id=gt.9', [{ count: 0 }]],
      ['/books?select=n:count(),most:price.max()&id=lt.3', [{ n: 2, most: 20 }]],
      ['/books?select=n:count()::text,total:price.sum()::int', [{ n: '4', total: 61 }]],
      ['/books?select=price::int.sum()&id=lt.3', [{ sum: 31 }]],
    ],
  },
  {
    id: 'REST-529',
    title: 'the other selected columns and relations group an aggregate, with order and limit',
    reads: [
      [
        '/books?select=author_id,price.sum()&order=author_id.nullsfirst',
        [
          { author_id: null, sum: null },
          { author_id: 1, sum: 30.5 },
          { author_id: 2, sum: 30.25 },
        ],
      ],
      ['/books?select=author_id,count()&order=author_id&limit=1', [{ author_id: 1, count: 2 }]],
      ['/books?select=writer:author_id,id.max()&author_id=eq.1', [{ writer: 1, max: 2 }]],
      [
        '/books?select=price.sum(),author:conformance_authors(name)&author_id=eq.1',
        [{ sum: 30.5, author: { name: 'Ada' } }],
      ],
      [
        '/authors?select=id,books:conformance_books(price.sum(),n:count())&order=id',
        [
          { id: 1, books: [{ sum: 30.5, n: 2 }] },
          { id: 2, books: [{ sum: 30.25, n: 1 }] },
          { id: 3, books: [{ sum: null, n: 0 }] },
        ],
      ],
      [
        '/authors?select=id,books:conformance_books(author_id,id.max())&id=eq.1',
        [{ id: 1, books: [{ author_id: 1, max: 2 }] }],
      ],
    ],
  },
  {
    id: 'REST-530',
    title: 'an aggregate in the spread of a to-one relation is of the rows of the request',
    reads: [
      ['/covers?select=...conformance_books(price.sum(),most:price.max())', [{ sum: 40.75, most: 30.25 }]],
      [
        '/books?select=author_id,...conformance_covers(book_id.count())&author_id=not.is.null&order=author_id',
        [
          { author_id: 1, count: 1 },
          { author_id: 2, count: 1 },
        ],
      ],
      [
        '/covers?select=...conformance_books(total:price.sum(),...conformance_authors(name))&book_id=eq.1',
        [{ total: 10.5, name: 'Ada' }],
      ],
      [
        '/covers?select=...conformance_books(...conformance_authors(born.max(),n:id.count()::text))',
        [{ max: '1906-12-09', n: '2' }],
      ],
      ['/covers?select=color,...conformance_books(n:count())&order=color&limit=1', [{ color: 'blue', n: 1 }]],
    ],
  },
];

/** Aggregates, which a project has to switch on. */
export const restAggregateAudits: readonly Audit[] = [
  ...tables.map(({ id, title, reads }) =>
    audit(
      id,
      title,
      { source, level: 'SHOULD', needs: ['database', 'service-key'], since },
      async (context) => {
        await requireVersion(context, 13);
        await withSetting(context, aggregates, async (send) => {
          for (const [search, rows] of reads) {
            const response = await send('GET', search);
            assertStatus(response, 200);
            assert.deepEqual(response.json, rows, `the rows of ${search}`);
          }
        });
      },
    ),
  ),
  audit(
    'REST-531',
    'an aggregate in the spread of a to-many relation is refused as PGRST127',
    { source, level: 'SHOULD', needs: ['database', 'service-key'], since },
    async (context) => {
      await requireVersion(context, 13);
      await withSetting(context, aggregates, async (send) => {
        for (const search of [
          '/authors?select=id,...conformance_books(price.sum())',
          '/books?select=id,...conformance_tags(count())',
          '/authors?select=id,...conformance_books(title,...conformance_covers(color.count()))',
          '/authors?select=id,...conformance_books(title,...conformance_covers(book_id,color.count()))',
          '/authors?select=id,...conformance_books(title,price.sum(),id)',
        ]) {
          const response = await send('GET', search);
          assertError(response, 400, 'PGRST127');
          assert.deepEqual(
            [at(response.json, 'message'), at(response.json, 'details')],
            [
              'Feature not implemented',
              'Aggregates are not implemented for one-to-many or many-to-many spreads.',
            ],
            `message and details of ${search}`,
          );
        }
      });
    },
  ),
];
