/* oxlint-disable typescript/no-floating-promises, typescript/no-unnecessary-type-parameters -- types are compared, queries never sent */
import {
  and,
  anyOf,
  asBigint,
  type Counted,
  createRestClient,
  csv,
  embed,
  eq,
  exactIntegers,
  gt,
  type Json,
  jsonText,
  like,
  neq,
  or,
  pages,
  parsed,
  relatedColumn,
  replacing,
  type RestClientOptions,
  shape,
  type StandardSchema,
  sum,
} from '../../src/rest-client/index.ts';
import type { EventsDatabase, MessagesDatabase, SampleDatabase } from './support/sample-database.ts';

declare const options: RestClientOptions<'public'>;
const db = createRestClient<SampleDatabase>(options);
const notes = db.from('notes');

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yields = <Expected>() => ({
  from: <Data>(_query: Promise<Data>, ..._same: Equal<Data, Expected> extends true ? [] : [never]) =>
    undefined,
});

// Rows have the type of their select.
yields<{ id: string; status: 'draft' | 'done' }[]>().from(notes.select('id, status'));
yields<{ n: number | null; text: string | null }[]>().from(notes.select('n:rating, text:data->>body'));
yields<{ rating: string | null }[]>().from(notes.select('rating::text'));
yields<{ id: string }>().from(notes.select('id').single());
yields<{ id: string } | null>().from(notes.select('id').maybeSingle());
yields<Counted<{ id: string }[]>>().from(notes.select('id').withCount());
yields<Counted<{ id: string }>>().from(notes.select('id').withCount().single());
yields<Counted<{ id: string } | null>>().from(notes.select('id').withCount().maybeSingle());
yields<string>().from(notes.select('id').withCount().as(csv()));
yields<{ items: Json; data: Json; word: string | null }[]>().from(
  notes.select('data->items->0, data->0, data->words->>word'),
);
yields<number>().from(notes.count());
yields<string>().from(notes.select('id').as(csv()));
yields<number | null>().from(notes.update({ title: 'x' }).eq('id', '1'));
yields<void>().from(notes.insert({ title: 'x' }));
yields<{ id: string }[]>().from(notes.insert({ title: 'x' }).select('id'));

// Related rows: null where the foreign key may be, many in the other direction.
yields<{ id: string; people: { name: string } | null }[]>().from(
  notes.select(shape({ id: true, people: { name: true } })),
);
yields<{ owners: { name: string } }[]>().from(notes.select(shape({ owners: { name: true } })));
yields<{ writer: { name: string } }[]>().from(
  notes.select(shape({ writer: embed({ name: true }, { of: 'people', inner: true }) })),
);
yields<{ name: string; notes: { id: string }[] }[]>().from(
  db.from('people').select(shape({ name: true, notes: { id: true } })),
);
yields<{ id: string; author: string | null }[]>().from(
  notes.select(shape({ id: true, '...people': { author: 'name' } })),
);
// A column that may be null stays so as a bigint.
yields<{ big: bigint | null; id: bigint; total: number | null; k: string | null }[]>().from(
  notes.select(
    shape({ big: asBigint('rating'), id: asBigint('id'), total: sum('rating'), k: jsonText('data', 'k') }),
  ),
);
// A hint chooses among the foreign keys: null where the one that it names may be, or where it leads to many rows.
const messages = createRestClient<MessagesDatabase>(options).from('messages');
yields<{ to: { name: string } | null }[]>().from(
  messages.select(shape({ to: embed({ name: true }, { of: 'users', hint: 'messages_recipient_id_fkey' }) })),
);
yields<{ from: { name: string } }[]>().from(
  messages.select(shape({ from: embed({ name: true }, { of: 'users', hint: 'sender_id' }) })),
);
yields<{ users: { name: string } | null }[]>().from(messages.select(shape({ users: { name: true } })));
yields<{ to: { name: string } | null; from: { name: string } }[]>().from(
  messages.select('to:users!messages_recipient_id_fkey(name), from:users!sender_id!inner(name)'),
);
const rooms = createRestClient<MessagesDatabase>(options).from('rooms');
yields<{ messages: { id: number }[] }[]>().from(
  rooms.select(shape({ messages: embed({ id: true }, { hint: 'messages_room_id_fkey' }) })),
);
yields<{ messages: { id: number } | null }[]>().from(
  rooms.select(shape({ messages: embed({ id: true }, { hint: 'last_message_id' }) })),
);
yields<{ children: { id: number }[] }[]>().from(
  rooms.select(shape({ children: embed({ id: true }, { of: 'rooms', hint: 'rooms_parent_id_fkey' }) })),
);
yields<{ parent: { id: number } | null }[]>().from(
  rooms.select(shape({ parent: embed({ id: true }, { of: 'parent_id' }) })),
);
// A condition on the one related row may leave it out, unless the row is left out with it.
yields<{ owners: { name: string } | null }[]>().from(
  notes.select(shape({ owners: embed({ name: true }, { where: [eq('name', 'x')] }) })),
);
yields<{ owners: { name: string } }[]>().from(
  notes.select(shape({ owners: embed({ name: true }, { where: [eq('name', 'x')], inner: true }) })),
);
yields<{ name: string | null }[]>().from(
  notes.select(shape({ '...owners': embed({ name: true }, { where: [eq('name', 'x')] }) })),
);
yields<{ name: string | null }[]>().from(
  notes.select(shape({ '...writer': embed({ name: true }, { of: 'people' }) })),
);
// @ts-expect-error a related row may be null
notes.select(shape({ people: { name: true } })).then(([row]) => row?.people.name);

// A text selects as a shape does: related rows, aliases, hints, joins, spreads, casts, JSON paths, aggregates, nested.
yields<{ id: string; people: { name: string } | null }[]>().from(notes.select('id, people(name)'));
yields<{ writer: { name: string } }[]>().from(notes.select('writer:people!inner(name)'));
yields<{ owners: { name: string } }[]>().from(notes.select('owners(name)'));
yields<{ id: string; author: string | null }[]>().from(notes.select('id, ...people(author:name)'));
yields<{ name: string; notes: { id: string; words: Json; owners: { name: string } }[] }[]>().from(
  db.from('people').select(`
    name,
    notes (id, words:data->words, owners (name))
  `),
);
yields<{ title: string; people: { id: string; name: string } | null }[]>().from(
  notes.select('title, people(*)'),
);
yields<{ id: string }[]>().from(notes.select('id, people!inner()'));
yields<{ count: number; total: number | null; avg: string | null }[]>().from(
  notes.select('count(), total:rating.sum(), rating.avg()::text'),
);
yields<{ 'odd name': string }[]>().from(notes.select('"odd name":title'));
yields<{ id: string; people: { name: string } | null }>().from(
  notes.insert({ title: 'x' }).select('id, people(name)').single(),
);
declare const anyColumns: string;
yields<Record<string, unknown>[]>().from(notes.select(anyColumns));
yields<{ people: { name: string; notes: { title: string }[] } | null }[]>().from(
  notes.select(shape({ people: embed('name, notes(title)') })),
);

// What does not exist cannot be selected, filtered by or ordered by.
// @ts-expect-error no such table
db.from('nothing');
// @ts-expect-error no such column
notes.select('id, nothing');
// @ts-expect-error no such column
notes.select(shape({ nothing: true }));
// @ts-expect-error no such column of the related row
notes.select(shape({ people: { nothing: true } }));
// @ts-expect-error no such relation
notes.select(shape({ nothing: { id: true } }));
// @ts-expect-error no such column
notes.select().eq('nothing', 1);
// @ts-expect-error no such column
notes.select().order('nothing');
// @ts-expect-error no such column
notes.select().where(or(eq('id', '1'), eq('nothing', 1)));

// Values are of the column's type.
notes.select().where(and(eq('status', 'done'), or(gt('rating', 3), eq('rating', null), like('title', 'a%'))));
notes.select().eq('created_at', new Date()).in('status', ['done', 'draft']).eq('status', anyOf('done'));
notes.select().eq('data->>body', 'text');
// @ts-expect-error not a status
notes.select().eq('status', 'archived');
// @ts-expect-error not a status, in a tree
notes.select().where(or(eq('id', '1'), eq('status', 'archived')));
// @ts-expect-error not a number
notes.select().eq('rating', 'three');
// @ts-expect-error a column that is never null
notes.select().eq('title', null);
// @ts-expect-error undefined is no value
notes.select().eq('title', undefined as string | undefined);
// @ts-expect-error no alternatives of neq
notes.select().neq('status', anyOf('done'));
// @ts-expect-error no alternatives of neq
notes.select().where(neq('status', anyOf('done')));
// @ts-expect-error null equals nothing
notes.select().eq('rating', anyOf(1, null));
notes.select().where(neq('status', 'done'), neq('rating', null));
// @ts-expect-error not a status
notes.select().where(neq('status', 'archived'));
// @ts-expect-error not statuses
notes.select().in('status', ['archived']);

notes.insert([{ title: 'x', rating: null }]);
// @ts-expect-error the title is missing
notes.insert({ status: 'done' });
// @ts-expect-error no such column
notes.update({ nothing: 1 });
// @ts-expect-error a view takes no rows
db.from('note_counts').insert({ n: 1 });

notes.upsert({ id: '1', title: 'x' }).with(replacing(eq('id', '1')));

// An update or delete is complete with a filter, or with all().
yields<number | null>().from(notes.delete().all());
yields<{ id: string }[]>().from(notes.update({ title: 'x' }).select('id').like('title', 'a%'));

// Every operator is a method, and accepts the values of its column.
notes.select().like('title', 'a%').contains('tags', ['a']).matches({ status: 'done', rating: null });
notes
  .select()
  .textSearch('words', 'cat', { type: 'plain' })
  .overlaps('tags', ['a'])
  .isDistinct('rating', null);
// @ts-expect-error not a list
notes.select().contains('tags', 'a');
// @ts-expect-error not a status
notes.select().matches({ status: 'archived' });

// A write names its conflict by columns, one or a list.
notes.upsert({ title: 'x' }, { onConflict: 'title' });
notes.upsert({ title: 'x' }, { onConflict: ['title', 'owner_id'] });
// @ts-expect-error no such column
notes.upsert({ title: 'x' }, { onConflict: ['titel'] });
// @ts-expect-error several columns are a list
notes.upsert({ title: 'x' }, { onConflict: 'owner_id,title' });

// Writes take dates and bigints as filters do, and undefined for a column that may be left out.
const events = createRestClient<EventsDatabase>(options).from('events');
events.insert({ at: new Date(), size: 10n, parts: [1n, 2], times: [new Date()], note: undefined });
events
  .update({ at: new Date(), size: null, parts: [1n] })
  .eq('at', new Date())
  .in('size', [10n, 3]);
declare const patch: { title?: string | undefined };
notes.update(patch).eq('id', '1');
// @ts-expect-error not a date
events.insert({ at: 5 });
// @ts-expect-error a column that an insert needs
events.insert({ at: undefined });
// @ts-expect-error a number is no date
events.insert({ at: '', size: new Date() });
// @ts-expect-error one of the known texts
notes.update({ status: new Date() });

// A repository of several tables, whose name is a type parameter.
type Tables = SampleDatabase['public']['Tables'];
class Repository<T extends 'people' | 'owners'> {
  readonly table: T;
  constructor(table: T) {
    this.table = table;
  }
  find(id: Tables[T]['Row']['id']): Promise<Tables[T]['Row'] | null> {
    return db.from(this.table).select().eq('id', id).maybeSingle();
  }
  list(ids: readonly string[]) {
    return db.from(this.table).select().in('id', ids).neq('name', 'x').order('name').limit(5).execute();
  }
  add(row: Tables[T]['Insert']): Promise<void> {
    return db.from(this.table).insert(row).execute();
  }
  save(rows: readonly Tables[T]['Insert'][]): Promise<Tables[T]['Row'][]> {
    return db.from(this.table).upsert(rows, { onConflict: 'id' }).select().execute();
  }
  rename(id: string, values: Tables[T]['Update']): Promise<number | null> {
    return db.from(this.table).update(values).eq('id', id).execute();
  }
  remove(id: string): Promise<number | null> {
    return db.from(this.table).delete().eq('id', id).execute();
  }
}
yields<{ id: string; name: string } | null>().from(new Repository('people').find('1'));
yields<{ id: string; name: string }[]>().from(new Repository('owners').list(['1']));
export const findTitle = <T extends 'people' | 'notes'>(table: T) =>
  // @ts-expect-error no column of both tables
  db.from(table).select().eq('title', 'x');

// Rows are ordered by a column of a related row, named by its alias if it has one.
notes.select('id, people(name)').order(relatedColumn('people', 'id'), { ascending: false });
notes.select('id, writer:people(name)').order(relatedColumn('writer', 'name'));
db.from('people').select('id, notes(id)').order('name');
// @ts-expect-error no such relation
notes.select('id, people(name)').order(relatedColumn('peoplez', 'name'));
// @ts-expect-error no such column
notes.select('id, people(name)').order(relatedColumn('people', 'nam'));
// @ts-expect-error rows cannot be ordered by a relation to many
db.from('people').select('id, notes(id)').order(relatedColumn('notes', 'id'));
// @ts-expect-error a condition on related rows belongs to their embed()
notes.select('id, people(name)').eq(relatedColumn('people', 'name'), 'x');
// @ts-expect-error so does this one
notes.select('id, people(name)').eq('people.name', 'x');

// `count` alone counts the related rows, or all rows.
yields<{ name: string; notes: { count: number }[] }[]>().from(db.from('people').select('name, notes(count)'));
yields<{ notes: { n: number }[] }[]>().from(db.from('people').select('notes(n:count)'));
yields<{ count: number }>().from(notes.select('count').single());
// @ts-expect-error beside a column it needs a group
notes.select('id, count');

// Integers that a number cannot hold are texts.
yields<number | string>().from(exactIntegers(db.rpc('area', { radius: 1 })));
yields<{ id: string; rating: number | string | null }>().from(
  exactIntegers(notes.select('id, rating')).eq('id', '1').single(),
);

yields<{ id: string }[]>().from(db.rpc('recent').select('id').eq('title', 'x').limit(1));
yields<{ id: string } | null>().from(db.rpc('recent').select('id').maybeSingle());
yields<{ id: string; title: string }>().from(db.rpc('newest'));
yields<{ title: string } | null>().from(db.rpc('newest').select('title').maybeSingle());
yields<{ id: string; people: { name: string } | null }[]>().from(db.rpc('found').select('id, people(name)'));
yields<string>().from(db.rpc('greet', { name: 'x' }));
yields<{ id: string; title: string }[]>().from(db.rpc('recent', { days: 3 }));
yields<{ id: string; title: string }[]>().from(db.rpc('recent'));
yields<null>().from(db.rpc('clear_all'));
yields<number>().from(db.rpc('area', { radius: 1 }));
yields<string>().from(db.rpc('area', { side: 'a' }));
// @ts-expect-error the argument is missing
db.rpc('greet');
// @ts-expect-error not the argument's type
db.rpc('greet', { name: 1 });
// @ts-expect-error no such function
db.rpc('nothing', {});

// Other schemas have other tables.
yields<{ id: number }[]>().from(db.schema('archive').from('old_notes').select());
// @ts-expect-error of another schema
db.schema('archive').from('notes');

// Rows have the output type of a schema.
declare const schema: StandardSchema<unknown, { id: number }>;
yields<{ id: number }[]>().from(parsed(notes.select('id'), schema));
yields<{ id: number } | null>().from(parsed(notes.select('id').maybeSingle(), schema));

// Pages continue by columns that are selected.
pages(notes.select('id, created_at'), { by: ['created_at', 'id'] });
// @ts-expect-error not selected
pages(notes.select('id'), { by: ['created_at'] });

// Without a Database type, any query compiles and results are unknown.
const loose = createRestClient(options);
yields<{ id: unknown }[]>().from(loose.from('anything').select('id'));
yields<unknown>().from(loose.rpc('any_function'));
