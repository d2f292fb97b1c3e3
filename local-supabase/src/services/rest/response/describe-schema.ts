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
import { profileHeader } from './response.ts';
import type { RestResponse } from './response.ts';
import { openApiDocument } from './openapi.ts';

/** The response of `/`: a description of what the caller's role may use. */
export async function respondWithSchema(
  request: ApiRequest,
  options: TransactionOptions,
  headersOnly: boolean,
  { version, openApiMode }: Pick<RestSettings, 'version' | 'openApiMode'>,
): Promise<RestResponse> {
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
  const [names, accessible, comment] = results.slice(-3).map(({ rows }) => rows[0]?.[0] ?? null);
  const isDescribed = ({ schema }: { readonly schema: string }) => schema === request.schema;
  const ofRole = openApiMode === 'follow-privileges';
  const tables = ofRole
    ? (JSON.parse(names ?? '[]') as string[]).flatMap(
        (name) => catalog.tables.get(keyOf({ schema: request.schema, name })) ?? [],
      )
    : [...catalog.tables.values()].filter(isDescribed);
  const routines = ofRole ? groupRoutines(JSON.parse(accessible ?? '[]') as Routine[]) : catalog.routines;
  const described = openApiDocument({
    version,
    catalog,
    tables,
    routines: [...routines.values()].flat().filter(isDescribed),
    comment: comment ?? null,
  });
  return {
    status: 200,
    headers: [['content-type', contentTypeOf(OPENAPI_TYPE)], ...profileHeader(request)],
    body: headersOnly ? '' : JSON.stringify(described),
  };
}
