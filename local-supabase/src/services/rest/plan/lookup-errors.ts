import { compareUtf8 } from '../../../platform/bytes.ts';
import { RestError } from '../request/errors.ts';
import { isKnown } from '../request/media-type.ts';
import type { MediaType } from '../request/media-type.ts';
import { isSameName, keyOf } from '../catalog/catalog.ts';
import type { Catalog, QualifiedName, Relationship, Routine } from '../catalog/catalog.ts';
import { bestMatch, fuzzySearch } from '../catalog/fuzzy-set.ts';

const NAME_SIMILARITY = 0.75;
/** PostgREST makes no suggestions for schemas with more tables. */
const MAX_TABLES = 500;

export function tableNotFound({ schema, name }: QualifiedName, catalog: Catalog): RestError {
  const names = [...catalog.tables.values()]
    .filter((table) => table.schema === schema)
    .map((table) => table.name);
  const similar = names.length < MAX_TABLES ? bestMatch(names, name, NAME_SIMILARITY) : undefined;
  return new RestError(404, {
    code: 'PGRST205',
    message: `Could not find the table '${schema}.${name}' in the schema cache`,
    hint: similar === undefined ? null : `Perhaps you meant the table '${schema}.${similar}'`,
  });
}

export function relationshipNotFound(
  schema: string,
  parent: string,
  child: string,
  hint: string | undefined,
  catalog: Catalog,
): RestError {
  const withHint = hint === undefined ? '' : `' using the hint '${hint}`;
  return new RestError(400, {
    code: 'PGRST200',
    message: `Could not find a relationship between '${parent}' and '${child}' in the schema cache`,
    details: `Searched for a foreign key relationship between '${parent}' and '${child}${withHint}' in the schema '${schema}', but no matches were found.`,
    hint: suggestRelation(schema, parent, child, catalog),
  });
}

function suggestRelation(schema: string, parent: string, child: string, catalog: Catalog): string | null {
  const origin = { schema, name: parent };
  const related = catalog.relatedTables.get(schema) ?? [];
  if (!related.some((table) => isSameName(table, origin))) {
    const similar = bestMatch(
      related.map(({ name }) => name),
      parent,
    );
    return similar === undefined ? null : `Perhaps you meant '${similar}' instead of '${parent}'.`;
  }
  const children = (catalog.relationships.get(keyOf(origin)) ?? []).flatMap(({ foreignTable }) =>
    foreignTable.schema === schema ? [foreignTable.name] : [],
  );
  const similar = fuzzySearch(children, child).find(({ score }) => score < 1);
  return similar === undefined ? null : `Perhaps you meant '${similar.value}' instead of '${child}'.`;
}

export function ambiguousRelationship(
  parent: string,
  child: string,
  found: readonly Relationship[],
): RestError {
  const names = found.map((relationship) => `'${relationship.foreignTable.name}!${nameOf(relationship)}'`);
  return new RestError(300, {
    code: 'PGRST201',
    message: `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
    details: found.map(describe),
    hint: `Try changing '${child}' to one of the following: ${names.join(', ')}. Find the desired relationship in the 'details' key.`,
  });
}

function nameOf(relationship: Relationship): string {
  if (relationship.type === 'computed') return '';
  const { cardinality } = relationship;
  return cardinality.type === 'many-to-many' ? cardinality.junction.table.name : cardinality.constraint;
}

const list = (names: readonly string[]): string => `(${names.join(', ')})`;

function describe(relationship: Relationship): Readonly<Record<string, string>> {
  if (relationship.type === 'computed') return {};
  const { table, foreignTable, cardinality } = relationship;
  const common = { cardinality: cardinality.type, embedding: `${table.name} with ${foreignTable.name}` };
  if (cardinality.type === 'many-to-many') {
    const { junction } = cardinality;
    const source = junction.sourceConstraint + list(junction.sourceColumns.map(([, column]) => column));
    const target = junction.targetConstraint + list(junction.targetColumns.map(([, column]) => column));
    return { ...common, relationship: `${junction.table.name} using ${source} and ${target}` };
  }
  const source = table.name + list(cardinality.columns.map(([column]) => column));
  const target = foreignTable.name + list(cardinality.columns.map(([, column]) => column));
  return { ...common, relationship: `${cardinality.constraint} using ${source} and ${target}` };
}

export interface FunctionSearch {
  readonly name: QualifiedName;
  readonly argumentNames: readonly string[];
  readonly contentType: MediaType;
  readonly isPost: boolean;
}

export function functionNotFound(searched: FunctionSearch, catalog: Catalog): RestError {
  const { name, argumentNames, contentType, isPost } = searched;
  const full = `${name.schema}.${name.name}`;
  const isBodyOnly = isPost && isKnown(contentType, 'text/plain', 'text/xml', 'application/octet-stream');
  const names = argumentNames.join(', ');
  const signature = argumentNames.length === 0 ? ' without parameters' : `(${names})`;
  return new RestError(404, {
    code: 'PGRST202',
    message: `Could not find the function ${full}${isBodyOnly ? '' : signature} in the schema cache`,
    details: `Searched for the function ${full}${describeArguments(searched)}, but no matches were found in the schema cache.`,
    hint: isBodyOnly ? null : suggestFunction(name, argumentNames, catalog),
  });
}

function describeArguments({ argumentNames, contentType, isPost }: FunctionSearch): string {
  const plural = argumentNames.length > 1 ? 's' : '';
  const named =
    argumentNames.length === 0
      ? ' without parameters'
      : ` with parameter${plural} ${argumentNames.join(', ')}`;
  if (!isPost) return named;
  if (isKnown(contentType, 'text/plain')) return ' with a single unnamed text parameter';
  if (isKnown(contentType, 'text/xml')) return ' with a single unnamed xml parameter';
  if (isKnown(contentType, 'application/octet-stream')) return ' with a single unnamed bytea parameter';
  const isJson = isKnown(contentType, 'application/json');
  return isJson ? `${named} or with a single unnamed json/jsonb parameter` : named;
}

function suggestFunction(
  name: QualifiedName,
  argumentNames: readonly string[],
  catalog: Catalog,
): string | null {
  const overloads = catalog.routines.get(keyOf(name)) ?? [];
  const signatureOf = (names: readonly string[]) => list(names.toSorted(compareUtf8));
  const suggested =
    overloads.length === 0
      ? bestMatch(functionNames(name.schema, catalog), name.name, NAME_SIMILARITY)
      : bestMatch(
          overloads.map(({ parameters }) => signatureOf(parameters.map((parameter) => parameter.name))),
          signatureOf(argumentNames),
        );
  if (suggested === undefined) return null;
  const called = overloads.length === 0 ? suggested : name.name + suggested;
  return `Perhaps you meant to call the function ${name.schema}.${called}`;
}

const functionNames = (schema: string, catalog: Catalog): string[] =>
  [...catalog.routines.values()].flatMap(([first]) => (first?.schema === schema ? [first.name] : []));

export function ambiguousFunction(routines: readonly Routine[]): RestError {
  const signatures = routines.map(({ schema, name, parameters }) => {
    const types = parameters.map((parameter) => `${parameter.name} => ${parameter.type}`);
    return `${schema}.${name}${list(types)}`;
  });
  return new RestError(300, {
    code: 'PGRST203',
    message: `Could not choose the best candidate function between: ${signatures.join(', ')}`,
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  });
}
