import type { Settle } from '../outcome.ts';

type Method = (...args: never[]) => Promise<unknown>;

/** The names of an object's methods, and of those of its members. */
type Names<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends Method ? true : Names<Methods[Name]>;
};

/**
 * Methods that are loaded when one of them is called. A part that cannot be loaded is an error of the call.
 *
 * @param names those of the loaded object, so that programs can list and replace the methods before.
 */
export function lazyMethods<Methods extends object>(
  settle: Settle<unknown>,
  load: () => Promise<Methods>,
  names: Names<Methods>,
): Methods {
  const entries = Object.keys(names).map((key) => {
    const name = key as keyof Methods;
    const inner = names[name];
    if (inner !== true) {
      const loadInner = async () => (await load())[name] as object;
      return [name, lazyMethods(settle, loadInner, inner as Names<object>)];
    }
    const call = async (...args: never[]) => {
      const { data: methods, error } = await settle(load);
      return methods ? (methods[name] as Method)(...args) : { data: null, error };
    };
    return [name, call];
  });
  return Object.fromEntries(entries) as Methods;
}
