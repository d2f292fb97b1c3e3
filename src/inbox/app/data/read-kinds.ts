import {
  boolean,
  listOf,
  object,
  optional,
  recordOf,
  string,
} from 'supabase-protocol-clients/platform/schema';
import { RestError, type RestClient } from 'supabase-protocol-clients/rest-client';
import type { Database } from '../../database.types.ts';
import type { RegisteredKind } from '../../shared/registered-kinds.ts';

const parseKinds = listOf(
  object({
    name: string,
    labels: recordOf(string),
    icon: string,
    in_app: boolean,
    email: boolean,
    templates: recordOf(object({ title: optional(string), text: optional(string) })),
    callbacks: listOf(string),
  }),
);

/** The kinds that the team registered; none in a database without the table. @throws {RestError} */
export async function readKinds(rest: RestClient<Database>): Promise<readonly RegisteredKind[]> {
  try {
    const rows = await rest
      .from('notification_kinds')
      .select('name, labels, icon, in_app, email, templates, callbacks')
      .execute();
    return parseKinds(rows);
  } catch (problem) {
    if (problem instanceof RestError && problem.code === 'not-found') return [];
    throw problem;
  }
}
