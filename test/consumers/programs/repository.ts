/** A generic repository over the query client. */
import { createPlatform } from 'supabase-protocol-clients/platform';
import { createRestClient, pages, RestError, type RestClient } from 'supabase-protocol-clients/rest-client';
import type { Database } from './database.ts';

type Tables = Database['public']['Tables'];

class Repository<T extends keyof Tables> {
  readonly #rest: RestClient<Database>;
  readonly #table: T;

  constructor(rest: RestClient<Database>, table: T) {
    this.#rest = rest;
    this.#table = table;
  }

  find(id: number) {
    return this.#rest.from(this.#table).select().eq('id', id).maybeSingle();
  }

  change(id: number, values: Tables[T]['Update']): PromiseLike<number | null> {
    return this.#rest.from(this.#table).update(values).eq('id', id);
  }

  async remove(id: number): Promise<'removed' | RestError['code']> {
    try {
      await this.#rest.from(this.#table).delete().eq('id', id);
      return 'removed';
    } catch (problem) {
      if (problem instanceof RestError) return problem.code;
      throw problem;
    }
  }
}

const rest = createRestClient<Database>({
  url: 'https://p.example',
  apiKey: 'key',
  platform: createPlatform(),
});
export const todos = new Repository(rest, 'todos');
export const lists = new Repository(rest, 'lists');

export async function allTitles(): Promise<readonly string[]> {
  const titles: string[] = [];
  for await (const rows of pages(rest.from('todos').select('id, title'), { by: ['id'] }))
    titles.push(...rows.map(({ title }) => title));
  return titles;
}

export const addTodo = (title: string, due?: Date) =>
  rest.from('todos').insert({ title, due }).select('id, due').single();

// @ts-expect-error a column that the table lacks
export const wrong = rest.from('todos').select('id, titel');
