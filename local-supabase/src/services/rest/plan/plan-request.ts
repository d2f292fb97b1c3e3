import { invalidPreferences, maxAffectedOnSingle, noMediaType } from '../request/errors.ts';
import { keyOf } from '../catalog/catalog.ts';
import type { Catalog, QualifiedName, Routine, Table } from '../catalog/catalog.ts';
import { tableNotFound } from './lookup-errors.ts';
import type { ApiRequest, Mutation } from '../request/api-request.ts';
import { isKnown } from '../request/media-type.ts';
import { negotiate } from './negotiate.ts';
import type { Negotiated } from './negotiate.ts';
import { findRoutine, planCall } from './plan-call.ts';
import type { CallPlan } from './plan-call.ts';
import { hasDefaultSelect, planRead } from './plan-read.ts';
import type { PlanSettings } from './plan-read.ts';
import { planWrite } from './plan-write.ts';
import type { WritePlan } from './plan-write.ts';
import type { ReadNode } from './read-plan.ts';

/** The database part of a request. */
export type DatabasePlan = Negotiated & { readonly read: ReadNode; readonly isReadOnly: boolean } & (
    | { readonly type: 'read'; readonly table: QualifiedName; readonly headersOnly: boolean }
    | {
        readonly type: 'write';
        readonly table: QualifiedName;
        readonly mutation: Mutation;
        readonly write: WritePlan;
      }
    | {
        readonly type: 'call';
        readonly routine: Routine;
        readonly call: CallPlan;
        readonly headersOnly: boolean;
      }
  );

export type Plan =
  | DatabasePlan
  | { readonly type: 'describe-schema'; readonly headersOnly: boolean }
  | { readonly type: 'options'; readonly allow: string };

export interface RequestPlanSettings extends PlanSettings {
  readonly allowsPlans: boolean;
}

/** @throws {RestError} */
export function planRequest(request: ApiRequest, catalog: Catalog, settings: RequestPlanSettings): Plan {
  const { action } = request;
  switch (action.type) {
    case 'read': {
      const table = findTable(action.name, catalog);
      const read = planRead(request, action.name, catalog, settings);
      const made = negotiate(request, action.name, catalog, hasDefaultSelect(read), settings.allowsPlans);
      assertValidPreferences(request);
      return { type: 'read', read, isReadOnly: true, table, headersOnly: action.headersOnly, ...made };
    }
    case 'mutate': {
      const table = findTable(action.name, catalog);
      const read = planRead(request, action.name, catalog, settings);
      const write = planWrite(action.mutation, request, table, catalog, read);
      assertValidPreferences(request);
      const made = negotiate(request, action.name, catalog, hasDefaultSelect(read), settings.allowsPlans);
      return { type: 'write', read, isReadOnly: false, table, mutation: action.mutation, write, ...made };
    }
    case 'call':
      return planFunction(request, action, catalog, settings);
    case 'describe-schema':
      if (
        !request.accept.some((type) => isKnown(type, 'application/openapi+json', 'application/json', '*/*'))
      ) {
        throw noMediaType(request.accept);
      }
      return action;
    case 'table-options':
      return { type: 'options', allow: allowedOnTable(findTable(action.name, catalog)) };
    case 'function-options': {
      const names = new Set(request.query.callArguments.map(([name]) => name));
      const routine = findRoutine(action.name, names, request.contentType, false, catalog);
      return {
        type: 'options',
        allow: routine.volatility === 'v' ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST',
      };
    }
    case 'schema-options':
      return { type: 'options', allow: 'OPTIONS,GET,HEAD' };
  }
}

function planFunction(
  request: ApiRequest,
  action: Extract<ApiRequest['action'], { type: 'call' }>,
  catalog: Catalog,
  settings: RequestPlanSettings,
): Plan {
  const { preferences } = request;
  const names = action.isGet ? new Set(request.query.callArguments.map(([name]) => name)) : request.columns;
  const routine = findRoutine(action.name, names, request.contentType, !action.isGet, catalog);
  // A function that returns rows of a relation can embed that relation's related ones.
  const of = {
    schema: routine.schema,
    name: routine.returnsComposite ? routine.returnType.name : routine.name,
  };
  const read = planRead(request, of, catalog, settings);
  const call = planCall(routine, request, names, read);
  const made = negotiate(request, of, catalog, hasDefaultSelect(read), settings.allowsPlans);
  assertValidPreferences(request);
  const isLimited = preferences.maxAffected !== undefined && preferences.handling === 'strict';
  if (isLimited && !routine.returnsSet) throw maxAffectedOnSingle();
  const isReadOnly = action.isGet || routine.volatility !== 'v';
  return { type: 'call', read, isReadOnly, routine, call, headersOnly: action.headersOnly, ...made };
}

function findTable(name: QualifiedName, catalog: Catalog): Table {
  const table = catalog.tables.get(keyOf(name));
  if (!table) throw tableNotFound(name, catalog);
  return table;
}

function assertValidPreferences({ preferences: { handling, invalid } }: ApiRequest): void {
  if (handling === 'strict' && invalid.length > 0) throw invalidPreferences(invalid);
}

function allowedOnTable({ isInsertable, isUpdatable, isDeletable, primaryKey }: Table): string {
  const methods = [
    'OPTIONS,GET,HEAD',
    isInsertable && 'POST',
    isInsertable && isUpdatable && primaryKey.length > 0 && 'PUT',
    isUpdatable && 'PATCH',
    isDeletable && 'DELETE',
  ];
  return methods.filter((method) => method !== false).join(',');
}
