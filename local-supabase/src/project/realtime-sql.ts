import { readFileSync } from 'node:fs';

/** The SQL of the schema `realtime`. */
export const realtimeSchemaSql: string = readFileSync(
  new URL('../services/realtime/schema.sql', import.meta.url),
  'utf8',
);
