import type { PgliteConnection } from '@supabase/lite/pglite';
import { isDatabaseError } from './database/database-error.ts';
import type { DatabaseError } from './database/database-error.ts';
import type { PreparedRequest } from './rest-request.ts';

/** What stands between the vendor's implementation and the session of the database. */
export interface RestSession {
  /** Begins to watch over one request. */
  begin(prepared: PreparedRequest): void;
  /** What PostgreSQL last refused since. */
  failure(): DatabaseError | undefined;
}

export function watchSession({ driver }: PgliteConnection): RestSession {
  let prepared: PreparedRequest | undefined;
  let failure: DatabaseError | undefined;
  let answered = 0;
  const query = driver.query.bind(driver);
  const reveal = (param: unknown) =>
    (typeof param === 'string' ? prepared?.values.get(param) : undefined) ?? param;
  driver.query = async (text, params, options) => {
    const isCommit = text === 'COMMIT';
    const isTakenBack = isCommit && (prepared?.isRehearsed || (prepared?.answersOneRow && answered !== 1));
    try {
      const result = await query(isTakenBack ? 'ROLLBACK' : text, params?.map(reveal), options);
      if (!isCommit) answered = result.rows.length;
      return result as never;
    } catch (problem) {
      if (isDatabaseError(problem)) failure = problem;
      throw problem;
    }
  };
  return {
    begin(next) {
      prepared = next;
      failure = undefined;
      answered = 0;
    },
    failure: () => failure,
  };
}
