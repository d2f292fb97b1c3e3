import { bytesToHex } from '@noble/hashes/utils.js';
import { compareUtf8, decodeUtf8 } from '../../../platform/bytes.ts';
import type { Parameter } from '../catalog/catalog.ts';
import type { ArgumentValue, CallPlan } from '../plan/plan-call.ts';
import { unknownField } from '../plan/read-plan.ts';
import { bodySql } from './body-sql.ts';
import { EMPTY, columnOf, identifier, join, qualified, raw, sql, value } from './fragment.ts';
import type { SqlFragment } from './fragment.ts';

export function callSql(plan: CallPlan): SqlFragment {
  const columns = plan.isScalar ? raw('pgrst_call.pgrst_scalar') : returnedColumns(plan);
  return sql`SELECT ${columns} ${fromCall(plan)}`;
}

function fromCall(plan: CallPlan): SqlFragment {
  const { parameters, unnamed, arguments: given } = plan;
  if (unnamed) return sql`FROM ${called(plan, wholeBody(plan, unnamed))}`;
  if (parameters.length === 0) return sql`FROM ${called(plan, EMPTY)}`;
  if (given.type === 'direct') {
    const assigned = parameters.map((parameter) => {
      const argument = argumentSql(given.values.get(parameter.name));
      return sql`${assignment(parameter)}${argument}::${raw(parameter.unlimitedType)}`;
    });
    return sql`FROM ${called(plan, join(assigned, ', '))}`;
  }
  const fields = parameters.map(({ name, unlimitedType }) => ({
    ...unknownField(name),
    type: unlimitedType,
  }));
  const body = bodySql(given.type === 'json' ? given.text : '', fields, { takesFirst: true });
  const assigned = parameters.map(
    (parameter) =>
      sql`${assignment(parameter)}${columnOf({ schema: '', name: 'pgrst_body' }, parameter.name)}`,
  );
  return sql`${body}, LATERAL ${called(plan, join(assigned, ', '))}`;
}

const assignment = ({ name, isVariadic }: Parameter): SqlFragment =>
  sql`${raw(isVariadic ? 'VARIADIC ' : '')}${identifier(name)} := `;

function argumentSql(argument: ArgumentValue | undefined): SqlFragment {
  if (argument === undefined) return raw('NULL');
  if (typeof argument === 'string') return value(argument);
  return sql`ARRAY[${join(
    argument.map((one) => value(one)),
    ', ',
  )}]::text[]`;
}

function wholeBody({ arguments: given }: CallPlan, { type }: Parameter): SqlFragment {
  const typed = raw(type);
  switch (given.type) {
    case 'json':
      return sql`${value(given.text)}::${typed}`;
    case 'direct':
      return sql`${value(JSON.stringify(Object.fromEntries(given.values)))}::${typed}`;
    case 'raw': {
      const { bytes } = given;
      const text = type === 'bytea' ? `\\x${bytesToHex(bytes)}` : decodeUtf8(bytes);
      return sql`${value(text)}::${typed}`;
    }
  }
}

function called({ name, isScalar }: CallPlan, given: SqlFragment): SqlFragment {
  const call = sql`${qualified(name)}(${given})`;
  return isScalar ? sql`(SELECT ${call} pgrst_scalar) pgrst_call` : sql`${call} pgrst_call`;
}

function returnedColumns({ returning, filterColumns }: CallPlan): SqlFragment {
  const call = { schema: '', name: 'pgrst_call' };
  if (returning.length === 0) return raw('*');
  if (returning.length === 1 && returning[0] === '*') return columnOf(call, '*');
  const columns = [...new Set([...returning, ...filterColumns])].toSorted(compareUtf8);
  return join(
    columns.map((column) => columnOf(call, column)),
    ', ',
  );
}
