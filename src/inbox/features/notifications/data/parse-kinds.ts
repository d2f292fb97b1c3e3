import {
  boolean,
  listOf,
  object,
  optional,
  recordOf,
  string,
  type Schema,
} from 'supabase-protocol-clients/platform/schema';
import type { RegisteredKind } from '../../../shared/registered-kinds.ts';

/** Rows of the table `notification_kinds`. */
export const parseKinds: Schema<readonly RegisteredKind[]> = listOf(
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
