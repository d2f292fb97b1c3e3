interface Relation<Row, Optional extends keyof Row> {
  readonly Row: Row;
  readonly Insert: Omit<Row, Optional> & Partial<Pick<Row, Optional>>;
  readonly Update: Partial<Row>;
  readonly Relationships: [];
}

/** A database as `supabase gen types typescript` writes it. */
export interface Database {
  readonly public: {
    readonly Tables: {
      readonly todos: Relation<
        { id: number; title: string; done: boolean; due: string | null },
        'id' | 'done' | 'due'
      >;
      readonly lists: Relation<{ id: number; title: string }, 'id'>;
    };
    readonly Views: { readonly [_ in never]: never };
    readonly Functions: {
      readonly count_open: { readonly Args: { readonly list: number }; readonly Returns: number };
    };
  };
}
