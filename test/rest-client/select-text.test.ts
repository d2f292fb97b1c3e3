import { describe, expect, test } from 'vitest';
import { embed, RestError, shape } from '../../src/rest-client/index.ts';
import { createRecordingClient } from './support/recording-client.ts';

const { db } = createRecordingClient();
const select = (text: string): string | null =>
  new URL(
    db
      .from('notes')
      .select(text as '*')
      .toRequest().url,
  ).searchParams.get('select');

describe('a text that selects', () => {
  test.each([
    ['id, author(name)', 'id,author(name)'],
    ['id,author:people!owner_id(name)', 'id,author:people!owner_id(name)'],
    ['people!inner(name), owners!owner_id!left ( * )', 'people!inner(name),owners!owner_id!left(*)'],
    ['...people(author:name), id', '...people(author:name),id'],
    ['id, people(name, notes(id, tags)), title', 'id,people(name,notes(id,tags)),title'],
    ['people!inner()', 'people!inner()'],
    ['count(), total:rating.sum()::text', 'count(),total:rating.sum()::text'],
    ['data->a->>b, people(prefs->0->>theme)', 'data->a->>b,people(prefs->0->>theme)'],
    // A position before `)` would be read as a key.
    ['people(prefs->list->0)', 'people(prefs->list->0::json)'],
    ['n:rating::text,\n  *', 'n:rating::text,*'],
    ['odd.name, other:weird.column', '"odd.name",other:"weird.column"'],
    ['"a,(b)"(id)', '"a,(b)"(id)'],
    ['"q\\"uote"', '"q\\"uote"'],
    ['data->"a->b"->>c', 'data->"a->b"->>c'],
  ])('%s is sent as %s', (text, wire) => {
    expect(select(text)).toBe(wire);
  });

  test.each([
    'id, author(name',
    'id, author)name(',
    'author(name))',
    'id,,title',
    '',
    'author(id) more',
    '"id',
    'id, (name)',
  ])('%s is refused before anything is sent', (text) => {
    expect(() => select(text)).toThrow(RestError);
    expect(() => select(text)).toThrow(expect.objectContaining({ code: 'invalid-query' }));
  });

  test('selects the same as the shape', () => {
    const text = select('id, writer:people!inner(name, notes(id)), ...owners(owner:name)');
    const made = shape({
      id: true,
      writer: embed({ name: true, notes: { id: true } }, { of: 'people', inner: true }),
      '...owners': { owner: 'name' },
    });
    expect(text).toBe(made.select);
  });
});
