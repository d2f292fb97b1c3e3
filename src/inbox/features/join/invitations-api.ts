import type { Database } from '../../database.types.ts';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import { parseInvitation, parsePreview, type Invitation, type InvitationPreview } from './invitation.ts';

/** An open invitation, with the token that answers it. */
export interface ListedInvitation {
  readonly token: string;
  readonly invitation: Invitation;
}

export interface CreatedInvitation {
  readonly token: string;
  /** Whether it renews an unanswered invitation, whose token stays the same. */
  readonly isRenewed: boolean;
}

export type InvitationAnswer = 'accept' | 'decline' | 'withdraw';

export interface InvitationsApi {
  /** The open invitations of the user's confirmed address, last made or renewed first. */
  list(signal: AbortSignal): Promise<readonly ListedInvitation[]>;
  /** Reads an invitation without changing it. Null: unknown token. */
  read(token: string, signal: AbortSignal): Promise<Invitation | null>;
  /** What a token shows without a sign-in. Null: unknown token. */
  preview(token: string, signal: AbortSignal): Promise<InvitationPreview | null>;
  /** @throws {RestError} whose message is one of the database's `invitation_…` codes. */
  answer(token: string, answer: InvitationAnswer): Promise<Invitation>;
  /** Invites an address; an unanswered invitation of the same address to the same entity is renewed. */
  create(details: { readonly email: string; readonly entityName: string }): Promise<CreatedInvitation>;
}

export function createInvitationsApi(rest: RestClient<Database>): InvitationsApi {
  return {
    async list(signal) {
      const rows = await rest.rpc('list_invitations').execute({ signal });
      return rows.map((row) => ({ token: row.token, invitation: parseInvitation(row) }));
    },
    async read(token, signal) {
      const [row] = await rest.rpc('get_invitation', { token }).execute({ signal });
      return row ? parseInvitation(row) : null;
    },
    async preview(token, signal) {
      const [row] = await rest.rpc('preview_invitation', { token }).execute({ signal });
      return row ? parsePreview(row) : null;
    },
    async answer(token, answer) {
      const [row] = await rest.rpc(`${answer}_invitation`, { token }).execute();
      return parseInvitation(row);
    },
    async create({ email, entityName }) {
      const [made] = await rest
        .rpc('create_invitation', {
          invitee_email: email,
          ...(entityName ? { entity_name: entityName } : {}),
        })
        .execute();
      if (!made) throw new Error('The server made no invitation');
      return { token: made.token, isRenewed: made.is_renewed };
    },
  };
}
