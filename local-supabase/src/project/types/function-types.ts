import type { Argument, DatabaseFunction, DatabaseType, Introspection, Relation } from './introspection.ts';
import { orNull, type TypeOf } from './type-names.ts';
import { inlineObject, object, quote, union, type Member, type TypeNode } from './type-printer.ts';

/** The types of unnamed arguments to which PostgREST passes the body: json, jsonb, text. */
const BODY_TYPES: ReadonlySet<number> = new Set([114, 3802, 25]);

/** The functions of one schema, and the fields that computed columns add to relations. */
export class FunctionTypes {
  readonly #relations: readonly Relation[];
  readonly #schema: string;
  readonly #typeOf: TypeOf;
  readonly #columnsOf: (relation: Relation) => Member[];
  readonly #types: ReadonlyMap<number, DatabaseType>;
  readonly #rowTypes: ReadonlyMap<number, DatabaseType>;
  readonly #functions: readonly DatabaseFunction[];

  constructor(
    introspection: Introspection,
    schema: string,
    typeOf: TypeOf,
    columnsOf: (relation: Relation) => Member[],
  ) {
    const { relations, types, functions } = introspection;
    this.#relations = relations;
    this.#schema = schema;
    this.#typeOf = typeOf;
    this.#columnsOf = columnsOf;
    this.#types = new Map(types.map((type) => [type.id, type]));
    this.#rowTypes = new Map(
      types.filter(({ relationId }) => relationId !== null).map((type) => [type.id, type]),
    );
    this.#functions = functions
      .filter((one) => one.schema === schema)
      .filter((one) => isCallable(one, this.#rowTypes))
      .toSorted(byName);
  }

  members(): Member[] {
    const names = [...new Set(this.#functions.map(({ name }) => name))];
    return names.map((name) => {
      const overloads = this.#functions
        .filter((one) => one.name === name)
        .toSorted(
          (a, b) =>
            a.argumentsText.localeCompare(b.argumentsText) || a.resultText.localeCompare(b.resultText),
        );
      return { name, type: union(overloads.map((one) => this.#signature(one, overloads))) };
    });
  }

  /** Functions that PostgREST exposes as columns of the relation. */
  fieldsOf({ name }: Relation): Member[] {
    return this.#functions
      .filter(({ argumentsText }) => argumentsText === name)
      .map((one) => ({ name: one.name, type: orNull(this.#rowType(one)) }));
  }

  #signature(one: DatabaseFunction, overloads: readonly DatabaseFunction[]): TypeNode {
    const inputs = inputsOf(one);
    const args: TypeNode =
      inputs.length === 0
        ? 'never'
        : inlineObject(
            inputs.map(({ name, typeId, hasDefault }) => ({
              name,
              isOptional: hasDefault,
              type: this.#typeById(typeId),
            })),
          );
    const rowName = this.#returned(one);
    const message = overloads.length > 1 ? conflictOf(one, overloads, this.#types) : null;
    const unusable =
      message ?? (isRowFunction(inputs, this.#rowTypes) && rowName === null ? noMatch(one) : null);
    const isMany = one.rows !== null && one.rows > 1;
    const isList = one.returnsSet && (isMany || rowName === null);
    const row: TypeNode = unusable === null ? this.#rowType(one) : { type: 'error', message: unusable };
    return inlineObject([
      { name: 'Args', type: args },
      { name: 'Returns', type: isList ? { type: 'array', of: row } : row },
      ...(rowName === null
        ? []
        : [{ name: 'SetofOptions', type: setOf(one, rowName, isMany, this.#rowTypes) }]),
    ]);
  }

  #typeById(id: number) {
    const type = this.#types.get(id);
    return type ? this.#typeOf(type.name, this.#schema) : 'unknown';
  }

  /** The relation or composite type of the rows that a function returns. */
  #returned({ returnRelationId, returnTypeId }: DatabaseFunction): string | null {
    return returnRelationId === null
      ? null
      : (this.#relations.find(({ id }) => id === returnRelationId)?.name ??
          this.#rowTypes.get(returnTypeId)?.name ??
          null);
  }

  #rowType(one: DatabaseFunction): TypeNode {
    const columns = one.arguments.filter(({ mode }) => mode === 't').toSorted(byName);
    if (columns.length > 0)
      return object(columns.map(({ name, typeId }) => ({ name, type: this.#typeById(typeId) })));
    const relation = this.#relations.find(({ id }) => id === one.returnRelationId);
    return relation?.schema === this.#schema
      ? object(this.#columnsOf(relation))
      : this.#typeById(one.returnTypeId);
  }
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name.localeCompare(other.name);

const inputsOf = ({ arguments: all }: DatabaseFunction): Argument[] =>
  all.filter(({ mode }) => 'ibv'.includes(mode)).toSorted(byName);

const isRowFunction = (inputs: readonly Argument[], rowTypes: ReadonlyMap<number, DatabaseType>): boolean => {
  const [only] = inputs;
  return inputs.length === 1 && only?.name === '' && rowTypes.has(only.typeId);
};

/** PostgREST calls functions with named arguments, or with a single one that is the body or a row. */
function isCallable(one: DatabaseFunction, rowTypes: ReadonlyMap<number, DatabaseType>): boolean {
  const inputs = inputsOf(one);
  const unnamed = inputs.filter(({ name }) => name === '');
  if (unnamed.every(({ hasDefault, typeId }) => hasDefault && BODY_TYPES.has(typeId))) return true;
  const [only] = inputs;
  return (
    inputs.length === 1 && only !== undefined && (BODY_TYPES.has(only.typeId) || rowTypes.has(only.typeId))
  );
}

/** The part of the client's types that says which rows a call can select from, and whether it returns one or many. */
function setOf(
  one: DatabaseFunction,
  to: string,
  isMany: boolean,
  rowTypes: ReadonlyMap<number, DatabaseType>,
): TypeNode {
  const [only] = one.arguments;
  const source = one.arguments.length === 1 && only ? rowTypes.get(only.typeId) : undefined;
  return object([
    { name: 'from', type: quote(source?.text ?? '*') },
    { name: 'to', type: quote(to) },
    { name: 'isOneToOne', type: String(!isMany) },
    { name: 'isSetofReturn', type: String(one.returnsSet) },
  ]);
}

/** Why PostgREST cannot choose between overloads; null if it can. */
function conflictOf(
  one: DatabaseFunction,
  overloads: readonly DatabaseFunction[],
  types: ReadonlyMap<number, DatabaseType>,
): string | null {
  const place = `${one.schema}.${one.name}`;
  const nameOf = (id: number | undefined) =>
    (id === undefined ? undefined : types.get(id)?.name) ?? 'unknown';
  const inputs = inputsOf(one);
  const others = overloads
    .filter((other) => other !== one)
    .map((other) => ({ other, args: inputsOf(other) }))
    .filter(({ args }) => args.length === 1);
  if (inputs.length === 0) {
    const conflicting = others.find(({ args: [arg] }) => arg?.name === '' && arg.hasDefault);
    if (!conflicting) return null;
    return noChoice(`${place}(), ${place}( => ${nameOf(conflicting.other.returnTypeId)})`);
  }
  const [input] = inputs;
  if (inputs.length !== 1 || input === undefined || input.name === '') return null;
  const conflicting = others.filter(
    ({ args: [arg] }) => arg?.name === input.name && arg.typeId !== input.typeId,
  );
  if (conflicting.length === 0) return null;
  const typeIds = [input.typeId, ...conflicting.map(({ args: [arg] }) => arg?.typeId ?? 0)];
  return noChoice(
    typeIds
      .toSorted((a, b) => a - b)
      .map((id) => `${place}(${input.name} => ${nameOf(id)})`)
      .join(', '),
  );
}

/** PostgREST's own messages, which the vendor's types contain as well. */
const noChoice = (candidates: string): string =>
  `Could not choose the best candidate function between: ${candidates}. Try renaming the parameters or the function itself in the database so function overloading can be resolved`;
const noMatch = ({ schema, name }: DatabaseFunction): string =>
  `the function ${schema}.${name} with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache`;
