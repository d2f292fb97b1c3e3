/** A row of `example_messages`, see schema.sql. */
export interface Message {
  readonly id: string;
  readonly room: string;
  readonly author: string;
  readonly author_name: string;
  readonly body: string;
  readonly created_at: string;
}

/** The part of the database that the examples use, in the form of `supabase gen types typescript`. */
export interface ExampleDatabase {
  readonly public: {
    readonly Tables: {
      readonly example_messages: {
        readonly Row: { [Column in keyof Message]: string };
        readonly Insert: {
          readonly id?: string;
          readonly room: string;
          readonly author_name: string;
          readonly body: string;
        };
        readonly Update: { readonly body?: string };
        readonly Relationships: [];
      };
    };
    readonly Views: { readonly [_ in never]: never };
    readonly Functions: { readonly [_ in never]: never };
    readonly Enums: { readonly [_ in never]: never };
    readonly CompositeTypes: { readonly [_ in never]: never };
  };
}
