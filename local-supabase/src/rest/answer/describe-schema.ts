import { keyOf } from '../catalog/catalog.ts';
import type { Routine } from '../catalog/catalog.ts';
import { groupRoutines } from '../catalog/load-catalog.ts';
import { ACCESSIBLE_ROUTINES } from '../catalog/routine-queries.ts';
import { ACCESSIBLE_TABLES, SCHEMA_COMMENT } from '../catalog/table-queries.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { OPENAPI_TYPE, contentTypeOf } from '../request/media-type.ts';
import type { RestSettings } from '../settings.ts';
import { inTransaction, openingStatements } from '../transaction.ts';
import type { TransactionOptions } from '../transaction.ts';
import { profileHeader } from './answer.ts';
import type { Answer } from './answer.ts';
import { openApiDocument } from './openapi.ts';

/** Answers the root: a description of what the caller's role may use. */
export async function answerDescription(
  request: ApiRequest,
  options: TransactionOptions,
  headersOnly: boolean,
  version: RestSettings['version'],
): Promise<Answer> {
  const { database, catalog } = options;
  const values = [request.schema];
  const statements = [
    ...openingStatements(request, options),
    ...[ACCESSIBLE_TABLES, ACCESSIBLE_ROUTINES, SCHEMA_COMMENT].map((text) => ({ text, values })),
  ];
  const results = await inTransaction(options, async () => ({
    row: await database.pipeline(statements, { keepsFiles: false }),
    isKept: true,
  }));
  const [names, routines, comment] = results.slice(-3).map(({ rows }) => rows[0]?.[0] ?? null);
  const tables = (JSON.parse(names ?? '[]') as string[]).flatMap((name) => {
    const table = catalog.tables.get(keyOf({ schema: request.schema, name }));
    return table ? [table] : [];
  });
  const described = openApiDocument({
    version,
    catalog,
    tables,
    routines: [...groupRoutines(JSON.parse(routines ?? '[]') as Routine[]).values()].flat(),
    comment: comment ?? null,
  });
  return {
    status: 200,
    headers: [['content-type', contentTypeOf(OPENAPI_TYPE)], ...profileHeader(request)],
    body: headersOnly ? '' : JSON.stringify(described),
  };
}
