/** Short names for parts of `Database`, as in the vendor's generator. */
export const helperTypes = `type Schemas = Omit<Database, "__InternalSupabase">
type DefaultSchema = Schemas[Extract<keyof Database, "public">]
type Relations<S extends keyof Schemas> = Schemas[S]["Tables"] & Schemas[S]["Views"]
type DefaultRelations = DefaultSchema["Tables"] & DefaultSchema["Views"]
type Part<T, Name, Key extends string> = Name extends keyof T
  ? T[Name] extends Record<Key, infer Type>
    ? Type
    : never
  : never

/** Tables<"name">, or Tables<{ schema: "other" }, "name">: a row of a table or view. */
export type Tables<
  First extends keyof DefaultRelations | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Relations<S> : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Part<Relations<S>, Second, "Row">
  : Part<DefaultRelations, First, "Row">

export type TablesInsert<
  First extends keyof DefaultSchema["Tables"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Schemas[S]["Tables"] : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Part<Schemas[S]["Tables"], Second, "Insert">
  : Part<DefaultSchema["Tables"], First, "Insert">

export type TablesUpdate<
  First extends keyof DefaultSchema["Tables"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Schemas[S]["Tables"] : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Part<Schemas[S]["Tables"], Second, "Update">
  : Part<DefaultSchema["Tables"], First, "Update">

export type Enums<
  First extends keyof DefaultSchema["Enums"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Schemas[S]["Enums"] : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Schemas[S]["Enums"][Second & keyof Schemas[S]["Enums"]]
  : DefaultSchema["Enums"][First & keyof DefaultSchema["Enums"]]

export type CompositeTypes<
  First extends keyof DefaultSchema["CompositeTypes"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas }
    ? keyof Schemas[S]["CompositeTypes"]
    : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Schemas[S]["CompositeTypes"][Second & keyof Schemas[S]["CompositeTypes"]]
  : DefaultSchema["CompositeTypes"][First & keyof DefaultSchema["CompositeTypes"]]
`;
