import { describe, expect, it } from 'vitest';
import { splitSql } from '../../src/project/sql-statements.ts';

const texts = (script: string) => splitSql(script).map(({ text }) => text);

describe('a script', () => {
  it('ends a statement at a semicolon outside of quotes, comments, parentheses and bodies', () => {
    expect(
      texts(`
        select ';', E'\\';', "a;b", 'it''s;' -- no; end
        , /* no; /* nested; */ end; */ 1;
        create rule r as on insert to t do also (select 1; select 2);
        do $body$ begin perform 1; end $body$;
        create function f() returns int language sql begin atomic
          select case when true then 1 else 2 end; select 2;
        end;
        select a$b$c;
        select $1;
      `),
    ).toEqual([
      expect.stringContaining("select ';'"),
      'create rule r as on insert to t do also (select 1; select 2)',
      'do $body$ begin perform 1; end $body$',
      expect.stringMatching(/^create function f[^]*select 2;\s+end$/),
      'select a$b$c',
      'select $1',
    ]);
  });

  it("gives each statement the line of its first word, and drops psql's commands", () => {
    expect(splitSql('\\set ON_ERROR_STOP 1\n-- one\n\nselect 1;;\n/* two\n*/ select\n2;\nselect 3')).toEqual([
      { text: 'select 1', line: 4 },
      { text: 'select\n2', line: 6 },
      { text: 'select 3', line: 8 },
    ]);
  });

  it('may end within quoted text or a comment', () => {
    expect(texts("select 'open;")).toEqual(["select 'open;"]);
    expect(texts('select 1; /* open')).toEqual(['select 1']);
    expect(texts('select $$open;')).toEqual(['select $$open;']);
  });
});
