import type { Database } from '../../database.types.ts';
import { pages, type RestClient } from 'supabase-protocol-clients/rest-client';
import { CallUser } from 'supabase-protocol-clients/platform';

/** A signed-in device of the user. */
export interface Device {
  readonly id: string;
  readonly signedInAtMs: number;
  readonly lastActiveAtMs: number;
  /** The address of the last refresh; null if unknown. */
  readonly ip: string | null;
  /** The user agent of the last refresh; may be empty. */
  readonly userAgent: string;
  readonly isCurrent: boolean;
}

/** The database functions of the account; each acts on the signed-in user alone. */
export interface AccountApi {
  /** The sessions that have not ended: this one, then the latest used first. */
  listDevices(signal: AbortSignal): Promise<readonly Device[]>;
  /** Ends a session at the server: its refresh token is refused from then on. */
  endDevice(id: string): Promise<void>;
  /**
   * Sets the name under which the account page lists a factor.
   *
   * @returns the name. @throws {RestError} `name_taken`, `factor_not_found`
   */
  renameFactor(id: string, name: string): Promise<string>;
  /**
   * All data of the user; the notifications, which may be many, in pages. `onProgress` receives how many have been read.
   *
   * @throws {RestError} `reauthentication_needed` without a recent proof; `user-changed` when another user signs in meanwhile.
   */
  exportData(onProgress: (notifications: number) => void): Promise<object>;
  /** Deletes the user and all of their data. @throws {RestError} `reauthentication_needed` without a recent proof. */
  deleteAccount(): Promise<void>;
}

/** Rows of one page of the download: the limit of rows that projects have by default. */
const exportedRows = 1_000;

export function createAccountApi(rest: RestClient<Database>): AccountApi {
  return {
    async listDevices(signal) {
      const rows = await rest.rpc('list_sessions').execute({ signal });
      return rows
        .map((row) => ({
          id: row.id,
          signedInAtMs: Date.parse(row.created_at),
          lastActiveAtMs: Date.parse(row.last_active_at),
          // Databases of earlier versions lack this column.
          ip: row.ip ?? null,
          userAgent: row.user_agent ?? '',
          isCurrent: row.is_current,
        }))
        .sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent));
    },
    async endDevice(id) {
      await rest.rpc('end_session', { session_id: id }).execute();
    },
    async renameFactor(id, name) {
      await rest.rpc('rename_factor', { factor_id: id, name }).execute();
      return name;
    },
    async exportData(onProgress) {
      const user = new CallUser();
      const data = await rest.rpc('export_account_data', { without_notifications: true }).execute({ user });
      // Keyed by id, because a row that changes meanwhile is read twice.
      const notifications = new Map<string, object>();
      const query = rest.from('notifications').select();
      for await (const rows of pages(query, { by: ['updated_at', 'id'], size: exportedRows, user })) {
        for (const row of rows) notifications.set(row.id, row);
        onProgress(notifications.size);
      }
      return { ...Object(data), notifications: [...notifications.values()] };
    },
    async deleteAccount() {
      await rest.rpc('delete_account').execute();
    },
  };
}
