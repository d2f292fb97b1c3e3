import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, at, type WireRequest } from '../../target/wire.ts';
import { openLibrary } from './library.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#errors';
const since = '1.0.0';

interface Refusal {
  readonly method?: string;
  readonly path: string;
  readonly request?: WireRequest;
  readonly status?: number;
  readonly message: string;
  readonly details: unknown;
  readonly hint: string | null;
}

interface RefusalTable {
  readonly id: string;
  readonly title: string;
  readonly code: string;
  readonly refusals: readonly Refusal[];
}

const noRelation = (parent: string, child: string, hint = '') => ({
  message: `Could not find a relationship between '${parent}' and '${child}' in the schema cache`,
  details: `Searched for a foreign key relationship between '${parent}' and '${child}${hint && `' using the hint '${hint}`}' in the schema 'public', but no matches were found.`,
});

const ambiguous = (parent: string, child: string, names: readonly string[]) => ({
  message: `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
  hint: `Try changing '${child}' to one of the following: ${names.map((name) => `'${child}!${name}'`).join(', ')}. Find the desired relationship in the 'details' key.`,
});

const notFound = (signature: string, searched: string) => ({
  message: `Could not find the function public.${signature} in the schema cache`,
  details: `Searched for the function public.${searched}, but no matches were found in the schema cache.`,
});

const raw = (type: string): WireRequest => ({ body: 'text', headers: { 'Content-Type': type } });
const bodyOnly = (type: string, parameter: string): Refusal => ({
  method: 'POST',
  path: '/rpc/add',
  request: raw(type),
  status: 404,
  ...notFound('conformance_add', `conformance_add with a single unnamed ${parameter} parameter`),
  hint: null,
});

const anyOfTwo = {
  status: 300,
  message:
    'Could not choose the best candidate function between: public.conformance_either(a => integer, b => integer), public.conformance_either(a => integer, c => text)',
  details: null,
  hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
};

/** The one with fewer parameters comes first. */
const anyOfChoices = {
  ...anyOfTwo,
  message:
    'Could not choose the best candidate function between: public.conformance_choice(a => integer, b => integer), public.conformance_choice(a => integer, b => integer, c => integer)',
};

const noTitle = {
  request: { body: { titel: 'x' } },
  message: "Could not find the 'titel' column of 'conformance_drafts' in the schema cache",
  details: null,
  hint: null,
};

const [books, authors, letters] = ['conformance_books', 'conformance_authors', 'conformance_letters'];

const tables: readonly RefusalTable[] = [
  {
    id: 'REST-496',
    title: 'PGRST200 names both tables and the hint, and the most similar table if one is similar',
    code: 'PGRST200',
    refusals: [
      {
        path: '/books?select=conformance_author(name)',
        ...noRelation(books, 'conformance_author'),
        hint: `Perhaps you meant '${authors}' instead of 'conformance_author'.`,
      },
      {
        path: '/books?select=id,conformance_covers(id,conformance_bookz(id))',
        ...noRelation('conformance_covers', 'conformance_bookz'),
        hint: `Perhaps you meant '${books}' instead of 'conformance_bookz'.`,
      },
      {
        path: '/book?select=conformance_authors(name)',
        ...noRelation('conformance_book', authors),
        hint: `Perhaps you meant '${books}' instead of 'conformance_book'.`,
      },
      {
        path: '/books?select=conformance_tagss(label)',
        ...noRelation(books, 'conformance_tagss'),
        hint: "Perhaps you meant 'conformance_tags' instead of 'conformance_tagss'.",
      },
      { path: '/books?select=xyzzy(name)', ...noRelation(books, 'xyzzy'), hint: null },
      { path: '/books?select=tags(label)', ...noRelation(books, 'tags'), hint: null },
      {
        path: '/books?select=authors(name)',
        ...noRelation(books, 'authors'),
        hint: `Perhaps you meant '${authors}' instead of 'authors'.`,
      },
      {
        path: '/copies?select=book_id(year)',
        ...noRelation('conformance_copies', 'book_id'),
        hint: null,
      },
      {
        path: '/copies?select=conformance_editions!number(year)',
        ...noRelation('conformance_copies', 'conformance_editions', 'number'),
        hint: null,
      },
      {
        path: '/books?select=conformance_authors!no_such_key(name)',
        ...noRelation(books, authors, 'no_such_key'),
        hint: null,
      },
    ],
  },
  {
    id: 'REST-497',
    title: 'PGRST201 lists the relationships with their names, with 300',
    code: 'PGRST201',
    refusals: [
      {
        path: '/letters?select=conformance_authors(name)',
        status: 300,
        ...ambiguous(letters, authors, ['conformance_sent_by', 'conformance_sent_to']),
        details: [
          ['conformance_sent_by', 'sender_id'],
          ['conformance_sent_to', 'receiver_id'],
        ].map(([name, column]) => ({
          cardinality: 'many-to-one',
          embedding: `${letters} with ${authors}`,
          relationship: `${name} using ${letters}(${column}) and ${authors}(id)`,
        })),
      },
      {
        path: '/authors?select=conformance_tags(label)',
        status: 300,
        ...ambiguous(authors, 'conformance_tags', ['conformance_avoiding', 'conformance_liking']),
        details: [
          ['conformance_avoiding', 'conformance_avoids', 'conformance_avoided'],
          ['conformance_liking', 'conformance_likes', 'conformance_liked'],
        ].map(([junction, source, target]) => ({
          cardinality: 'many-to-many',
          embedding: `${authors} with conformance_tags`,
          relationship: `${junction} using ${source}(author_id) and ${target}(tag_id)`,
        })),
      },
      {
        path: '/authors?select=conformance_letters(id)',
        status: 300,
        ...ambiguous(authors, letters, ['conformance_sent_by', 'conformance_sent_to']),
        details: [
          ['conformance_sent_by', 'sender_id'],
          ['conformance_sent_to', 'receiver_id'],
        ].map(([name, column]) => ({
          cardinality: 'one-to-many',
          embedding: `${authors} with ${letters}`,
          relationship: `${name} using ${authors}(id) and ${letters}(${column})`,
        })),
      },
    ],
  },
  {
    id: 'REST-498',
    title: 'PGRST202 says which parameters of which body were searched, and names the most similar function',
    code: 'PGRST202',
    refusals: [
      {
        path: '/rpc/add?c=1&d=2',
        status: 404,
        ...notFound('conformance_add(c, d)', 'conformance_add with parameters c, d'),
        hint: 'Perhaps you meant to call the function public.conformance_add(a, b)',
      },
      {
        path: '/rpc/extreme',
        status: 404,
        ...notFound('conformance_extreme without parameters', 'conformance_extreme without parameters'),
        hint: 'Perhaps you meant to call the function public.conformance_extremes',
      },
      {
        path: '/rpc/books_by?writers=1',
        status: 404,
        ...notFound('conformance_books_by(writers)', 'conformance_books_by with parameter writers'),
        hint: 'Perhaps you meant to call the function public.conformance_books_by(writer)',
      },
      {
        path: '/rpc/extremesz?a=1',
        status: 404,
        ...notFound('conformance_extremesz(a)', 'conformance_extremesz with parameter a'),
        hint: 'Perhaps you meant to call the function public.conformance_extremes',
      },
      {
        path: '/rpc/addition?a=1',
        status: 404,
        ...notFound('conformance_addition(a)', 'conformance_addition with parameter a'),
        hint: 'Perhaps you meant to call the function public.conformance_add',
      },
      {
        path: '/rpc/additions?a=1',
        status: 404,
        ...notFound('conformance_additions(a)', 'conformance_additions with parameter a'),
        hint: null,
      },
      {
        path: '/rpc/add?x=1',
        status: 404,
        ...notFound('conformance_add(x)', 'conformance_add with parameter x'),
        hint: null,
      },
      {
        path: '/rpc/choice?a=1&d=2',
        status: 404,
        ...notFound('conformance_choice(a, d)', 'conformance_choice with parameters a, d'),
        hint: 'Perhaps you meant to call the function public.conformance_choice(a, b)',
      },
      {
        method: 'POST',
        path: '/rpc/extreme',
        request: { body: {} },
        status: 404,
        ...notFound(
          'conformance_extreme without parameters',
          'conformance_extreme without parameters or with a single unnamed json/jsonb parameter',
        ),
        hint: 'Perhaps you meant to call the function public.conformance_extremes',
      },
      {
        method: 'POST',
        path: '/rpc/books_by',
        request: { body: { writers: 1 } },
        status: 404,
        ...notFound(
          'conformance_books_by(writers)',
          'conformance_books_by with parameter writers or with a single unnamed json/jsonb parameter',
        ),
        hint: 'Perhaps you meant to call the function public.conformance_books_by(writer)',
      },
      bodyOnly('text/plain', 'text'),
      bodyOnly('text/xml', 'xml'),
      bodyOnly('application/octet-stream', 'bytea'),
    ],
  },
  {
    id: 'REST-499',
    title: 'PGRST203 lists the functions that take the arguments, with 300',
    code: 'PGRST203',
    refusals: [
      { path: '/rpc/either?a=1', ...anyOfTwo },
      { method: 'POST', path: '/rpc/either', request: { body: { a: 1 } }, ...anyOfTwo },
      { path: '/rpc/choice?a=1&b=2', ...anyOfChoices },
      { method: 'POST', path: '/rpc/choice', request: { body: { a: 1, b: 2 } }, ...anyOfChoices },
    ],
  },
  {
    id: 'REST-500',
    title: 'PGRST204 names the column and the table',
    code: 'PGRST204',
    refusals: [
      { method: 'POST', path: '/drafts', ...noTitle },
      { method: 'POST', path: '/drafts?columns=titel', ...noTitle },
      { method: 'PATCH', path: '/drafts?title=eq.x', ...noTitle },
    ],
  },
  {
    id: 'REST-501',
    title: 'PGRST118 names a relation that is not to-one and cannot sort',
    code: 'PGRST118',
    refusals: [
      {
        path: '/authors?select=conformance_books(title)&order=conformance_books(title)',
        message: `A related order on '${books}' is not possible`,
        details: `'${authors}' and '${books}' do not form a many-to-one or one-to-one relationship`,
        hint: null,
      },
      {
        path: '/books?select=tags:conformance_tags(label)&order=tags(label)',
        message: "A related order on 'tags' is not possible",
        details: `'${books}' and 'tags' do not form a many-to-one or one-to-one relationship`,
        hint: null,
      },
    ],
  },
  {
    id: 'REST-502',
    title: 'PGRST108 names a relation that is not selected, where it filters, sorts or is limited',
    code: 'PGRST108',
    refusals: [
      'conformance_authors.name=eq.Ada',
      'order=conformance_authors(name)',
      'conformance_authors.limit=1',
    ].map((parameter) => ({
      path: `/books?select=id&${parameter}`,
      message: `'${authors}' is not an embedded resource in this request`,
      details: null,
      hint: `Verify that '${authors}' is included in the 'select' query parameter.`,
    })),
  },
  {
    id: 'REST-546',
    title:
      'PGRST205 names the most similar table: of a name with a letter less, more, other or in upper case',
    code: 'PGRST205',
    refusals: [
      ['cover', 'covers'],
      ['coverss', 'covers'],
      ['kovers', 'covers'],
      ['autors', 'authors'],
      ['smaples', 'samples'],
      ['SAMPLE', 'samples'],
      ['coverzzzzz', 'covers'],
      ['coverzzzzzz', null],
      ['overs', 'covers'],
      ['cvrs', 'covers'],
      ['zzzzzz', null],
      ['auuuuuu', null],
      ['lettersletters', null],
    ].map(([name, similar]) => ({
      path: `/${name}`,
      status: 404,
      message: `Could not find the table 'public.conformance_${name}' in the schema cache`,
      details: null,
      hint: similar === null ? null : `Perhaps you meant the table 'public.conformance_${similar}'`,
    })),
  },
];

/** What an error says of names that are not found in the schema, or not clear. */
export const restLookupErrorAudits: readonly Audit[] = tables.map(({ id, title, code, refusals }) =>
  audit(id, title, { source, level: 'SHOULD', needs: ['database'], since }, async (context) => {
    const send = await openLibrary(context);
    for (const { method = 'GET', path, request, status = 400, message, details, hint } of refusals) {
      const response = await send(method, path, request);
      assertError(response, status, code);
      assert.deepEqual(
        ['message', 'details', 'hint'].map((member) => at(response.json, member)),
        [message, details, hint],
        `message, details and hint of ${method} ${path}`,
      );
    }
  }),
);
