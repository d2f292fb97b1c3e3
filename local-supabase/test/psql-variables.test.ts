import { expect, it } from 'vitest';
import { PsqlVariables } from '../src/command/psql-variables.ts';

const nothing = { names: [], rows: [] };

it('replaces names outside of quotes, comments and casts, as text, literal and identifier', () => {
  const variables = new PsqlVariables();
  variables.run(String.raw`\set n 5`, nothing);
  variables.run(String.raw`\set name 'It''s' "b`, nothing);
  expect(variables.interpolate(`select :n, :'name', :"name", ':n', 1::n -- :n\n, :other, $$:n$$`)).toBe(
    `select 5, 'It''s"b', "It's""b", ':n', 1::n -- :n\n, :other, $$:n$$`,
  );
});

it('stores the columns of one row, and forgets those that are null', () => {
  const variables = new PsqlVariables();
  variables.run(String.raw`\set x_b old`, nothing);
  variables.run(String.raw`\gset x_`, { names: ['a', 'b'], rows: [['1', null]] });
  expect(variables.interpolate(':x_a :x_b')).toBe('1 :x_b');
});

it.each([
  ['no rows returned', []],
  ['more than one row returned', [['1'], ['2']]],
])('refuses \\gset: %s', (message, rows) => {
  expect(() => new PsqlVariables().run(String.raw`\gset`, { names: ['a'], rows })).toThrow(message);
});
