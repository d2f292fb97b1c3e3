import { auditsOfReads } from './library-reads.ts';

const ada = { name: 'Ada' };
const grace = { name: 'Grace' };
const book = (title: string) => ({ title });

/** Relations of views and functions, and relations that are spread. */
export const restSpreadAudits = auditsOfReads('protocol/rest.md#embedding', [
  {
    id: 'REST-489',
    title: 'a view has the relations of the columns that it shows',
    reads: [
      [
        '/titles?select=title,author:conformance_authors(name)&id=eq.3',
        [{ title: 'Compilers', author: grace }],
      ],
      [
        '/authors?select=name,conformance_titles(title)&id=eq.2',
        [{ name: 'Grace', conformance_titles: [book('Compilers')] }],
      ],
      ['/books?select=id,conformance_writers(name)&id=eq.1', [{ id: 1, conformance_writers: ada }]],
      [
        '/writers?select=name,conformance_titles(title),conformance_books(price)&id=eq.2',
        [{ name: 'Grace', conformance_titles: [book('Compilers')], conformance_books: [{ price: 30.25 }] }],
      ],
      [
        '/titles?select=title,conformance_covers(color)&id=eq.1',
        [{ title: 'Notes', conformance_covers: { color: 'red' } }],
      ],
      [
        '/titles?select=title,conformance_tags(label)&id=eq.2',
        [{ title: 'Engines', conformance_tags: [{ label: 'old' }] }],
      ],
      [
        '/headings?select=number,conformance_covers(color),conformance_authors(name),tags:conformance_tags(label)&number=eq.1&tags.order=label',
        [
          {
            number: 1,
            conformance_covers: { color: 'red' },
            conformance_authors: ada,
            tags: [{ label: 'new' }, { label: 'old' }],
          },
        ],
      ],
      [
        '/authors?select=id,conformance_headings(number)&id=eq.1&conformance_headings.order=number',
        [{ id: 1, conformance_headings: [{ number: 1 }, { number: 2 }] }],
      ],
      [
        '/editions?select=year,conformance_headings(title)&order=year&limit=1',
        [{ year: 1843, conformance_headings: book('Notes') }],
      ],
      ['/headings?select=number,conformance_writers!inner()&order=number.desc&limit=1', [{ number: 3 }]],
    ],
  },
  {
    id: 'REST-490',
    title: 'a function of a row is a column: it is selected, filters and sorts',
    reads: [
      [
        '/authors?select=id,conformance_initial&conformance_initial=eq.G',
        [{ id: 2, conformance_initial: 'G' }],
      ],
      ['/authors?select=id&order=conformance_initial.desc', [{ id: 2 }, { id: 3 }, { id: 1 }]],
      ['/authors?select=i:conformance_initial&or=(conformance_initial.eq.E)', [{ i: 'E' }]],
      ['/authors?select=*&id=eq.3', [{ id: 3, name: 'Edsger', born: null, mentor_id: 1 }]],
    ],
  },
  {
    id: 'REST-491',
    title:
      'a function from a row to rows is a relation: an array, or an object where it says that it has one row',
    reads: [
      [
        '/authors?select=id,conformance_works(title)&order=id&conformance_works.order=id.desc',
        [
          { id: 1, conformance_works: [book('Engines'), book('Notes')] },
          { id: 2, conformance_works: [book('Compilers')] },
          { id: 3, conformance_works: [] },
        ],
      ],
      [
        '/authors?select=id,debut:conformance_debut(title)&order=id',
        [
          { id: 1, debut: book('Notes') },
          { id: 2, debut: book('Compilers') },
          { id: 3, debut: null },
        ],
      ],
      [
        '/authors?select=id,conformance_works!inner(title,conformance_covers(color))&conformance_works.price=gt.30',
        [{ id: 2, conformance_works: [{ title: 'Compilers', conformance_covers: { color: 'blue' } }] }],
      ],
    ],
  },
  {
    id: 'REST-557',
    title:
      'a function from a row to rows that is named like a related table replaces the relation of the key',
    reads: [
      [
        '/loans?select=id,conformance_copies(number)&order=id',
        [
          { id: 1, conformance_copies: { number: 1 } },
          { id: 2, conformance_copies: null },
        ],
      ],
      [
        '/loans?select=id,copy:conformance_copies!inner(number,conformance_editions(year))',
        [{ id: 1, copy: { number: 1, conformance_editions: { year: 1843 } } }],
      ],
      [
        '/copies?select=id,conformance_loans!inner(id)&order=id',
        [
          { id: 1, conformance_loans: [{ id: 1 }] },
          { id: 4, conformance_loans: [{ id: 2 }] },
        ],
      ],
    ],
  },
  {
    id: 'REST-492',
    title: 'a spread of a to-one relation adds its columns to the row, through several relations, too',
    reads: [
      [
        '/books?select=id,...conformance_authors(author:name,born)&id=gt.2&order=id',
        [
          { id: 3, author: 'Grace', born: '1906-12-09' },
          { id: 4, author: null, born: null },
        ],
      ],
      [
        '/covers?select=color,...conformance_books(title,...conformance_authors(name,mentor_id(name)))&book_id=eq.3',
        [{ color: 'blue', title: 'Compilers', name: 'Grace', mentor_id: ada }],
      ],
      ['/books?select=id,...conformance_authors!inner(name)&id=gt.2', [{ id: 3, name: 'Grace' }]],
    ],
  },
  {
    id: 'REST-493',
    title: 'a spread of a to-many relation adds a list of each of its columns, in one order',
    leastVersion: 13,
    reads: [
      [
        '/authors?select=id,...conformance_books(titles:title,price)&conformance_books.order=price.desc&order=id',
        [
          { id: 1, titles: ['Engines', 'Notes'], price: [20, 10.5] },
          { id: 2, titles: ['Compilers'], price: [30.25] },
          { id: 3, titles: [], price: [] },
        ],
      ],
      [
        '/books?select=id,...conformance_tags(label)&conformance_tags.order=label&id=in.(1,4)&order=id',
        [
          { id: 1, label: ['new', 'old'] },
          { id: 4, label: [] },
        ],
      ],
      [
        '/authors?select=id,...conformance_books(title,conformance_covers(color))&conformance_books.order=id&id=eq.1',
        [{ id: 1, title: ['Notes', 'Engines'], conformance_covers: [{ color: 'red' }, null] }],
      ],
      [
        '/authors?select=id,...conformance_books(*)&conformance_books.order=id&id=eq.2',
        [{ id: [3], title: ['Compilers'], price: [30.25], author_id: [2] }],
      ],
      [
        '/authors?select=id,...conformance_books(title)&conformance_books.limit=1&conformance_books.order=id&id=eq.1',
        [{ id: 1, title: ['Notes'] }],
      ],
      [
        '/books?select=id,...conformance_editions(number,year)&conformance_editions.order=year.desc&id=lt.3&order=id',
        [
          { id: 1, number: [2, 1], year: [1844, 1843] },
          { id: 2, number: [1], year: [1850] },
        ],
      ],
    ],
  },
]);
