import { keyOf } from '../catalog/catalog.ts';
import type { Cardinality, Catalog, KeyRelationship, Relationship } from '../catalog/catalog.ts';
import { ambiguousRelationship, relationshipNotFound } from './lookup-errors.ts';

/**
 * Finds the relationship of an embedding. The target is a relation, a constraint or a column; the hint is a constraint,
 * a column of either side, or a junction.
 *
 * @throws {RestError} PGRST200 if none matches, PGRST201 if several do.
 */
export function findRelationship(
  schema: string,
  catalog: Catalog,
  origin: string,
  target: string,
  hint: string | undefined,
): Relationship {
  const known = catalog.relationships.get(keyOf({ schema, name: origin })) ?? [];
  const found = known.filter(
    (relationship) => relationship.foreignTable.schema === schema && isMeant(relationship, target, hint),
  );
  const [first, second] = found;
  if (!first) throw relationshipNotFound(schema, origin, target, hint, catalog);
  if (second) throw ambiguousRelationship(origin, target, found);
  return first;
}

function isMeant(relationship: Relationship, target: string, hint: string | undefined): boolean {
  if (relationship.type === 'computed') return relationship.function.name === target;
  if (relationship.isSelf) return isMeantSelf(relationship, target, hint);
  const { cardinality, foreignTable, isForeignTableView } = relationship;
  if (hint === undefined) {
    return (
      target === foreignTable.name ||
      (!isForeignTableView && (hasConstraint(cardinality, target) || isColumn(cardinality, 0, target)))
    );
  }
  return (
    target === foreignTable.name &&
    (hasConstraint(cardinality, hint) ||
      isColumn(cardinality, 0, hint) ||
      isColumn(cardinality, 1, hint) ||
      (cardinality.type === 'many-to-many' && cardinality.junction.table.name === hint))
  );
}

/** For a relationship of a relation with itself: the relation's name selects the children, the key's column the parent. */
function isMeantSelf(
  { cardinality, foreignTable }: KeyRelationship,
  target: string,
  hint: string | undefined,
): boolean {
  const isChildren = target === foreignTable.name && cardinality.type === 'one-to-many';
  if (hint !== undefined) return isChildren && isColumn(cardinality, 1, hint);
  return isChildren || (cardinality.type === 'many-to-one' && isColumn(cardinality, 0, target));
}

const hasConstraint = (cardinality: Cardinality, name: string): boolean =>
  cardinality.type !== 'many-to-many' && cardinality.constraint === name;

/** @param side 0 for the relation itself, 1 for the other one. */
function isColumn(cardinality: Cardinality, side: 0 | 1, name: string): boolean {
  if (cardinality.type === 'many-to-many' || cardinality.columns.length !== 1) return false;
  return cardinality.columns[0]?.[side] === name;
}
