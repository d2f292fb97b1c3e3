import { keyOf, returnsScalar, returnsSetOfScalars } from '../catalog/catalog.ts';
import type { Catalog, Parameter, QualifiedName, Routine } from '../catalog/catalog.ts';
import { compareUtf8 } from '../../../platform/bytes.ts';
import { ambiguousFunction, functionNotFound } from './lookup-errors.ts';
import { isKnown } from '../request/media-type.ts';
import type { MediaType } from '../request/media-type.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { PlannedLogic, ReadNode } from './read-plan.ts';
import { neededColumns } from './plan-write.ts';

/** An argument from a query or a form: one value, or the values of a variadic parameter. */
export type ArgumentValue = string | readonly string[];

export type CallArguments =
  | { readonly type: 'direct'; readonly values: ReadonlyMap<string, ArgumentValue> }
  | { readonly type: 'json'; readonly text: string }
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

export interface CallPlan {
  readonly name: QualifiedName;
  /** The only parameter, if it is unnamed. */
  readonly unnamed: Parameter | undefined;
  readonly parameters: readonly Parameter[];
  readonly arguments: CallArguments;
  readonly isScalar: boolean;
  readonly returning: readonly string[];
  readonly filterColumns: readonly string[];
}

/** @throws {RestError} PGRST202 if no function matches, PGRST203 if several do. */
export function findRoutine(
  name: QualifiedName,
  argumentNames: ReadonlySet<string>,
  contentType: MediaType,
  isPost: boolean,
  catalog: Catalog,
): Routine {
  const overloads = catalog.routines.get(keyOf(name)) ?? [];
  const named = overloads.filter((routine) => takesArguments(routine, argumentNames, contentType, isPost));
  const unnamed = overloads.filter(
    (routine) => !named.includes(routine) && isPost && takesBody(routine, contentType),
  );
  const candidates = named.length > 0 ? named : unnamed;
  const [first, second] = candidates;
  if (second) throw ambiguousFunction(candidates);
  if (first) return first;
  const names = [...argumentNames].toSorted(compareUtf8);
  throw functionNotFound({ name, argumentNames: names, contentType, isPost }, catalog);
}

function takesArguments(
  { parameters }: Routine,
  names: ReadonlySet<string>,
  contentType: MediaType,
  isPost: boolean,
): boolean {
  if (parameters.length === 0) {
    const isBody = isPost && isKnown(contentType, 'application/octet-stream', 'text/plain', 'text/xml');
    return names.size === 0 && !isBody;
  }
  const known = new Set(parameters.map(({ name }) => name));
  const required = parameters.filter(({ isRequired }) => isRequired);
  return [...names].every((name) => known.has(name)) && required.every(({ name }) => names.has(name));
}

/** Whether the body's media type matches the function's only and unnamed parameter. */
function takesBody({ parameters }: Routine, contentType: MediaType): boolean {
  const [first, second] = parameters;
  if (!first || second || first.name !== '') return false;
  switch (first.type) {
    case 'json':
    case 'jsonb':
      return isKnown(contentType, 'application/json');
    case 'text':
      return isKnown(contentType, 'text/plain');
    case 'xml':
      return isKnown(contentType, 'text/xml');
    case 'bytea':
      return isKnown(contentType, 'application/octet-stream');
    default:
      return false;
  }
}

export function planCall(
  routine: Routine,
  request: ApiRequest,
  argumentNames: ReadonlySet<string>,
  read: ReadNode,
): CallPlan {
  const [first] = routine.parameters;
  const isUnnamed = routine.parameters.length === 1 && first?.name === '';
  return {
    name: { schema: routine.schema, name: routine.name },
    unnamed: isUnnamed ? first : undefined,
    parameters: routine.parameters.filter(({ name }) => argumentNames.has(name)),
    arguments: argumentsOf(routine, request),
    isScalar: returnsScalar(routine) || returnsSetOfScalars(routine),
    returning: neededColumns(read, []),
    filterColumns: columnsOfFilters(read),
  };
}

function argumentsOf(routine: Routine, { payload, query }: ApiRequest): CallArguments {
  if (!payload) return { type: 'direct', values: gather(routine, query.callArguments) };
  switch (payload.type) {
    case 'form':
      return { type: 'direct', values: gather(routine, payload.pairs) };
    case 'json':
      return { type: 'json', text: payload.text };
    case 'raw':
      return payload;
  }
}

/** Repeated arguments are the values of a variadic parameter; for other parameters, the last one counts. */
function gather(
  { parameters, hasVariadic }: Routine,
  pairs: readonly (readonly [string, string])[],
): ReadonlyMap<string, ArgumentValue> {
  const isVariadic = (name: string) =>
    hasVariadic && parameters.some((parameter) => parameter.name === name && parameter.isVariadic);
  const values = new Map<string, ArgumentValue>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (isVariadic(name)) values.set(name, [...(Array.isArray(known) ? (known as string[]) : []), value]);
    else values.set(name, value);
  }
  return values;
}

function columnsOfFilters(node: ReadNode): string[] {
  return [...node.where.flatMap(columnsOf), ...node.children.flatMap(columnsOfFilters)];
}

function columnsOf(logic: PlannedLogic): string[] {
  if (logic.type === 'branch') return logic.operands.flatMap(columnsOf);
  return [logic.type === 'filter' ? logic.field.name : logic.aggregateAlias];
}
