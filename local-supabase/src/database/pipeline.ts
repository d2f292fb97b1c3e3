import { isRemote, type PostgresSession } from './postgres-session.ts';
import { encodePipeline } from './protocol.ts';
import type { PipelineResult, ProtocolStatement, TextRow } from './protocol.ts';

/** Runs statements in one round trip; rejects with PostgreSQL's first error. */
export type Pipeline = (
  statements: readonly ProtocolStatement[],
  options?: { readonly keepsFiles?: boolean },
) => Promise<readonly PipelineResult[]>;

/**
 * Sends statements to PGlite in PostgreSQL's wire protocol: values stay text, so numbers lose no digit, and PostgreSQL
 * infers the parameter types.
 *
 * @param session returns the current session, which a crash replaces.
 */
export function createPipeline(session: () => PostgresSession): Pipeline {
  return async (statements, { keepsFiles = true } = {}) => {
    const current = session();
    if (isRemote(current) && current.pipeline) return current.pipeline(statements);
    const { messages } = await current.execProtocol(encodePipeline(statements), { syncToFs: keepsFiles });
    const results: PipelineResult[] = [];
    let types: readonly number[] = [];
    let rows: TextRow[] = [];
    for (const message of messages) {
      if (isRowDescription(message)) types = message.fields.map(({ dataTypeID }) => dataTypeID);
      else if (isDataRow(message)) rows.push(message.fields);
      else if (message.name === 'commandComplete' || message.name === 'emptyQuery') {
        results.push({ types, rows });
        types = [];
        rows = [];
      }
    }
    return results;
  };
}

interface NamedMessage {
  readonly name: string;
}

interface RowDescription extends NamedMessage {
  readonly fields: readonly { readonly dataTypeID: number }[];
}

interface DataRow extends NamedMessage {
  readonly fields: TextRow;
}

const isRowDescription = (message: NamedMessage): message is RowDescription =>
  message.name === 'rowDescription';
const isDataRow = (message: NamedMessage): message is DataRow => message.name === 'dataRow';
