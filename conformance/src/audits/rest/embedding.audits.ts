import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertStatus } from '../../target/wire.ts';
import { openLibrary } from './library.ts';
import { auditsOfReads, type ReadTable } from './library-reads.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#embedding';
const since = '1.0.0';
const counted = { Prefer: 'count=exact' };

const ada = { name: 'Ada' };
const grace = { name: 'Grace' };
const book = (title: string) => ({ title });
const tables: readonly ReadTable[] = [
  {
    id: 'REST-478',
    title: 'a to-one relation is an object or null, a to-many relation an array',
    reads: [
      [
        '/books?select=id,author:conformance_authors(name)&order=id',
        [
          { id: 1, author: ada },
          { id: 2, author: ada },
          { id: 3, author: grace },
          { id: 4, author: null },
        ],
      ],
      [
        '/authors?select=id,conformance_books(title)&order=id&conformance_books.order=id',
        [
          { id: 1, conformance_books: [book('Notes'), book('Engines')] },
          { id: 2, conformance_books: [book('Compilers')] },
          { id: 3, conformance_books: [] },
        ],
      ],
    ],
  },
  {
    id: 'REST-479',
    title: 'a one-to-one relation is an object on both sides',
    reads: [
      [
        '/books?select=id,conformance_covers(color)&order=id&limit=2',
        [
          { id: 1, conformance_covers: { color: 'red' } },
          { id: 2, conformance_covers: null },
        ],
      ],
      [
        '/covers?select=color,conformance_books(title)&order=book_id',
        [
          { color: 'red', conformance_books: book('Notes') },
          { color: 'blue', conformance_books: book('Compilers') },
        ],
      ],
    ],
  },
  {
    id: 'REST-480',
    title: 'a many-to-many relation is found through its junction, from both sides',
    reads: [
      [
        '/books?select=id,tags:conformance_tags(label)&order=id&tags.order=label',
        [
          { id: 1, tags: [{ label: 'new' }, { label: 'old' }] },
          { id: 2, tags: [{ label: 'old' }] },
          { id: 3, tags: [{ label: 'new' }] },
          { id: 4, tags: [] },
        ],
      ],
      [
        '/tags?select=label,books:conformance_books!conformance_tagging(id)&order=id&books.order=id.desc',
        [
          { label: 'old', books: [{ id: 2 }, { id: 1 }] },
          { label: 'new', books: [{ id: 3 }, { id: 1 }] },
        ],
      ],
    ],
  },
  {
    id: 'REST-481',
    title: 'a table related to itself has its children by its name, and the parent by the column of the key',
    reads: [
      [
        '/authors?select=id,pupils:conformance_authors(name)&order=id&pupils.order=id',
        [
          { id: 1, pupils: [grace, { name: 'Edsger' }] },
          { id: 2, pupils: [] },
          { id: 3, pupils: [] },
        ],
      ],
      [
        '/authors?select=id,mentor_id(name)&order=id',
        [
          { id: 1, mentor_id: null },
          { id: 2, mentor_id: ada },
          { id: 3, mentor_id: ada },
        ],
      ],
      ['/authors?select=id,pupils:conformance_authors!mentor_id(name)&id=eq.2', [{ id: 2, pupils: [] }]],
    ],
  },
  {
    id: 'REST-482',
    title: 'a relation is named by its table, its constraint or its column, and one of several by a hint',
    reads: [
      ['/books?select=conformance_written_by(name)&id=eq.1', [{ conformance_written_by: ada }]],
      ['/books?select=author_id(name)&id=eq.1', [{ author_id: ada }]],
      ['/books?select=author:conformance_authors!author_id(name)&id=eq.1', [{ author: ada }]],
      ['/books?select=author:conformance_authors!conformance_written_by(name)&id=eq.3', [{ author: grace }]],
      [
        '/letters?select=from:conformance_authors!conformance_sent_by(name),to:conformance_authors!receiver_id(name)',
        [{ from: ada, to: grace }],
      ],
      [
        '/authors?select=likes:conformance_tags!conformance_liking(label),avoids:conformance_tags!conformance_avoiding(label)&id=eq.1',
        [{ likes: [{ label: 'new' }], avoids: [] }],
      ],
      [
        '/authors?select=sent:conformance_letters!sender_id(id),got:conformance_letters!receiver_id(id)&id=eq.2',
        [{ sent: [], got: [{ id: 1 }] }],
      ],
    ],
  },
  {
    id: 'REST-556',
    title: 'a key of several columns relates tables, by the table or by the constraint',
    reads: [
      [
        '/editions?select=year,conformance_copies(id)&order=year&conformance_copies.order=id.desc',
        [
          { year: 1843, conformance_copies: [{ id: 1 }] },
          { year: 1844, conformance_copies: [{ id: 3 }, { id: 2 }] },
          { year: 1850, conformance_copies: [] },
        ],
      ],
      [
        '/copies?select=id,edition:conformance_editions(year)&order=id',
        [
          { id: 1, edition: { year: 1843 } },
          { id: 2, edition: { year: 1844 } },
          { id: 3, edition: { year: 1844 } },
          { id: 4, edition: null },
        ],
      ],
      [
        '/copies?select=id,conformance_copied(year,conformance_books(title))&order=id&limit=1',
        [{ id: 1, conformance_copied: { year: 1843, conformance_books: book('Notes') } }],
      ],
      [
        '/copies?select=id,edition:conformance_editions!conformance_copied!inner(year)&edition.year=eq.1843',
        [{ id: 1, edition: { year: 1843 } }],
      ],
    ],
  },
  {
    id: 'REST-483',
    title: '!inner leaves out rows without a related one, !left does not, and () adds no column',
    reads: [
      ['/books?select=id,conformance_authors!inner(name)&id=gt.2', [{ id: 3, conformance_authors: grace }]],
      [
        '/books?select=id,conformance_authors!left(name)&id=gt.2&order=id',
        [
          { id: 3, conformance_authors: grace },
          { id: 4, conformance_authors: null },
        ],
      ],
      ['/books?select=id,a:conformance_authors!author_id!inner(name)&id=gt.2', [{ id: 3, a: grace }]],
      ['/books?select=id,a:conformance_authors!inner!author_id(name)&id=gt.2', [{ id: 3, a: grace }]],
      ['/authors?select=id,conformance_books!inner()&order=id', [{ id: 1 }, { id: 2 }]],
      ['/books?select=id,conformance_authors()&id=gt.2&order=id', [{ id: 3 }, { id: 4 }]],
    ],
  },
  {
    id: 'REST-484',
    title: 'filters and trees of a relation select its rows, and with !inner those of the request, too',
    reads: [
      [
        '/authors?select=id,conformance_books(title)&conformance_books.title=like.N*&order=id&limit=2',
        [
          { id: 1, conformance_books: [book('Notes')] },
          { id: 2, conformance_books: [] },
        ],
      ],
      [
        '/authors?select=id,books:conformance_books!inner(title)&books.title=like.N*',
        [{ id: 1, books: [book('Notes')] }],
      ],
      [
        '/authors?select=id,books:conformance_books!inner(title)&books.or=(title.eq.Notes,price.gt.30)&order=id',
        [
          { id: 1, books: [book('Notes')] },
          { id: 2, books: [book('Compilers')] },
        ],
      ],
      [
        '/authors?select=id,books:conformance_books!inner(title)&books.not.or=(title.eq.Notes,price.gt.30)',
        [{ id: 1, books: [book('Engines')] }],
      ],
      [
        '/authors?select=id,books:conformance_books!inner(cover:conformance_covers!inner(color))&books.cover.color=eq.blue',
        [{ id: 2, books: [{ cover: { color: 'blue' } }] }],
      ],
    ],
  },
  {
    id: 'REST-485',
    title: 'order, limit and offset of a to-many relation cut its rows, of each row apart',
    reads: [
      [
        '/authors?select=id,books:conformance_books(title)&books.order=title&books.limit=1&order=id',
        [
          { id: 1, books: [book('Engines')] },
          { id: 2, books: [book('Compilers')] },
          { id: 3, books: [] },
        ],
      ],
      [
        '/authors?select=id,books:conformance_books(title)&books.order=title.desc&id=eq.1',
        [{ id: 1, books: [book('Notes'), book('Engines')] }],
      ],
      [
        '/authors?select=id,books:conformance_books(title)&books.order=id&books.offset=1&order=id&limit=2',
        [
          { id: 1, books: [book('Engines')] },
          { id: 2, books: [] },
        ],
      ],
      ['/authors?select=id,books:conformance_books(title)&books.limit=0&id=eq.1', [{ id: 1, books: [] }]],
    ],
  },
  {
    id: 'REST-486',
    title: 'relations nest, and * selects the columns of each',
    reads: [
      [
        '/covers?select=color,book:conformance_books(title,author:conformance_authors(name,mentor_id(name)))&book_id=eq.3',
        [{ color: 'blue', book: { title: 'Compilers', author: { name: 'Grace', mentor_id: ada } } }],
      ],
      [
        '/books?select=*,conformance_tags(*)&id=eq.2',
        [{ id: 2, title: 'Engines', price: 20, author_id: 1, conformance_tags: [{ id: 1, label: 'old' }] }],
      ],
      [
        '/authors?select=name,conformance_books(title,conformance_covers(color))&id=eq.2',
        [
          {
            name: 'Grace',
            conformance_books: [{ title: 'Compilers', conformance_covers: { color: 'blue' } }],
          },
        ],
      ],
    ],
  },
  {
    id: 'REST-487',
    title: 'is.null and not.is.null of a relation find rows without and with a related one, in a tree, too',
    reads: [
      ['/books?select=id,author:conformance_authors()&author=is.null', [{ id: 4 }]],
      [
        '/books?select=id,author:conformance_authors()&author=not.is.null&order=id',
        [{ id: 1 }, { id: 2 }, { id: 3 }],
      ],
      [
        '/authors?select=id,books:conformance_books()&or=(books.is.null,id.eq.2)&order=id',
        [{ id: 2 }, { id: 3 }],
      ],
      ['/authors?select=id,books:conformance_books()&books.title=eq.Notes&books=not.is.null', [{ id: 1 }]],
    ],
  },
  {
    id: 'REST-488',
    title: 'order sorts by a column of a to-one relation',
    reads: [
      [
        '/books?select=id,author:conformance_authors()&order=author(name).desc,id.desc&author_id=not.is.null',
        [{ id: 3 }, { id: 2 }, { id: 1 }],
      ],
      [
        '/books?select=id,author:conformance_authors()&order=author(born).nullsfirst,id&limit=2',
        [{ id: 4 }, { id: 1 }],
      ],
      ['/covers?select=book_id,book:conformance_books()&order=book(title)', [{ book_id: 3 }, { book_id: 1 }]],
    ],
  },
];

/** The query of a count with relations, and Content-Range. */
const counts: readonly (readonly [search: string, range: string])[] = [
  ['/books?select=id,conformance_authors(name)', '0-3/4'],
  ['/books?select=id,conformance_authors!inner(name)', '0-2/3'],
  ['/books?select=id,a:conformance_authors!inner(name)&a.name=eq.Ada', '0-1/2'],
  ['/books?select=id,a:conformance_authors(name)&a.name=eq.Ada', '0-3/4'],
  ['/books?select=id,a:conformance_authors(name)&a=is.null', '0-0/1'],
  ['/books?select=id,a:conformance_authors(name)&a=not.is.null', '0-2/3'],
  ['/books?select=id,conformance_tags!inner(label)&conformance_tags.label=eq.old', '0-1/2'],
  ['/authors?select=id,conformance_works!inner(id)', '0-1/2'],
  ['/copies?select=id,e:conformance_editions!inner()&e.year=eq.1844', '0-1/2'],
  ['/authors?select=id,b:conformance_books!inner(c:conformance_covers!inner())&b.c.color=eq.red', '0-0/1'],
  ['/authors?select=id,b:conformance_books()&or=(b.is.null,id.eq.1)', '0-1/2'],
  ['/authors?select=id,b:conformance_books()&b.price=gt.20&b=not.is.null', '0-0/1'],
];

/** Relations of tables that an application has, and no product's schema. */
export const restEmbeddingAudits: readonly Audit[] = [
  ...auditsOfReads(source, tables),
  audit(
    'REST-494',
    'a count follows !inner and the filters of relations',
    { source: 'protocol/rest.md#counts', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      for (const [search, range] of counts) {
        const response = await send('GET', search, { headers: counted });
        assertStatus(response, 200);
        assert.equal(response.headers.get('content-range'), range, `the header content-range of ${search}`);
      }
    },
  ),
  audit(
    'REST-495',
    'a write returns the relations of its rows, and a filter of a relation narrows neither the write nor its rows',
    { source, needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const headers = { Prefer: 'return=representation' };
      const id = crypto.randomUUID();
      const select = 'title,author:conformance_authors(name)';
      const computed = 'heading:conformance_heading,by:conformance_drafter(name)';
      const inserted = await send('POST', '/drafts', {
        query: { select },
        body: { id, author_id: 1 },
        headers,
      });
      assertStatus(inserted, 201);
      assert.deepEqual(inserted.json, [{ title: 'untitled', author: ada }], 'the inserted row');
      const query = { id: `eq.${id}`, select, 'author.name': 'eq.Ada' };
      const updated = await send('PATCH', '/drafts', { query, body: { author_id: 2 }, headers });
      assertStatus(updated, 200);
      assert.deepEqual(updated.json, [{ title: 'untitled', author: null }], 'the updated row');
      const again = await send('PATCH', '/drafts', {
        query: { id: `eq.${id}`, select: computed },
        body: { title: 'new' },
        headers,
      });
      assert.deepEqual(again.json, [{ heading: 'NEW', by: grace }], 'the row with computed columns');
      const deleted = await send('DELETE', '/drafts', { query: { id: `eq.${id}`, select }, headers });
      assertStatus(deleted, 200);
      assert.deepEqual(deleted.json, [{ title: 'new', author: grace }], 'the deleted row');
    },
  ),
];
