/** The output of `npx local-supabase types`, shortened. */
export type Database = {
  public: {
    Tables: {
      todos: {
        Row: { done: boolean; id: number; title: string; user_id: string };
        Insert: { done?: boolean; title: string; user_id?: string };
        Update: { done?: boolean; title?: string };
        Relationships: [];
      };
    };
    Views: { [_ in never]: never };
    Functions: { [_ in never]: never };
  };
};
