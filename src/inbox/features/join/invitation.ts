import * as z from 'zod/mini';

/** An invitation as the server shows it to the signed-in user. */
export interface Invitation {
  readonly status: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  readonly inviterId: string;
  readonly inviterName: string;
  /** Masked by the server unless it is the user's own address. */
  readonly inviteeEmail: string;
  readonly isForMe: boolean;
  readonly entityType: string | null;
  readonly entityName: string | null;
  readonly expiresAtMs: number;
}

const rowSchema = z.object({
  status: z.enum(['pending', 'accepted', 'declined', 'revoked', 'expired']),
  inviter_id: z.string(),
  inviter_name: z.string(),
  invitee_email: z.string(),
  is_for_me: z.boolean(),
  entity_type: z.nullish(z.string()),
  entity_name: z.nullish(z.string()),
  expires_at: z.string(),
});

/** @throws {Error} if the row has another shape. */
export function parseInvitation(row: unknown): Invitation {
  const wire = rowSchema.parse(row);
  return {
    status: wire.status,
    inviterId: wire.inviter_id,
    inviterName: wire.inviter_name,
    inviteeEmail: wire.invitee_email,
    isForMe: wire.is_for_me,
    entityType: wire.entity_type ?? null,
    entityName: wire.entity_name ?? null,
    expiresAtMs: Date.parse(wire.expires_at),
  };
}

/** What a token shows without a sign-in. */
export interface InvitationPreview {
  readonly status: Invitation['status'];
  /** Null unless it is open. */
  readonly inviterName: string | null;
  readonly entityName: string | null;
  readonly expiresAtMs: number;
}

const previewSchema = z.object({
  status: rowSchema.shape.status,
  inviter_name: z.nullish(z.string()),
  entity_name: z.nullish(z.string()),
  expires_at: z.string(),
});

/** @throws {Error} if the row has another shape. */
export function parsePreview(row: unknown): InvitationPreview {
  const wire = previewSchema.parse(row);
  return {
    status: wire.status,
    inviterName: wire.inviter_name ?? null,
    entityName: wire.entity_name ?? null,
    expiresAtMs: Date.parse(wire.expires_at),
  };
}

/** What `/join/:token` shows. */
export type JoinState =
  | { readonly type: 'signed-out' | 'loading' | 'unknown' }
  | { readonly type: 'failed'; readonly error: unknown }
  /** `open`: the user may answer; `other-account`: for another address; `own`: the user sent it. */
  | {
      readonly type: 'open' | 'other-account' | 'own' | Exclude<Invitation['status'], 'pending'>;
      readonly invitation: Invitation;
    };

/** @param userId the signed-in user; null: signed out. */
export function classifyInvitation(invitation: Invitation | null, userId: string | null): JoinState {
  if (userId === null) return { type: 'signed-out' };
  if (invitation === null) return { type: 'unknown' };
  if (invitation.inviterId === userId) return { type: 'own', invitation };
  // The status of another account's invitation is private.
  if (!invitation.isForMe) return { type: 'other-account', invitation };
  return { type: invitation.status === 'pending' ? 'open' : invitation.status, invitation };
}

/** The token of a pasted link or code; null if it is neither. */
export function parseInvitationCode(pasted: string): string | null {
  const text = pasted.trim();
  const path = URL.canParse(text) ? new URL(text).pathname : text;
  const code = /^(?:.*\/join\/)?([\w-]{16,128})\/?$/.exec(path)?.[1];
  return code ?? null;
}
