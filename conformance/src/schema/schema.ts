/** The tables and functions of the client audits, limited to the columns that they use. */
export type Database = {
  public: {
    Tables: {
      blocked_senders: Table<{ user_id: string; sender_id: string; created_at: string }, 'sender_id'>;
      notification_preferences: Table<
        {
          id: string;
          user_id: string;
          email_edits: boolean;
          email_mentions: boolean;
          email_digest_frequency: string;
        },
        'user_id'
      >;
      notifications: Table<NotificationRow, 'recipient_id'>;
    };
    Views: { [_ in never]: never };
    Functions: {
      create_invitation: {
        Args: { invitee_email: string; entity_type: string; entity_id: string; entity_name: string };
        Returns: { token: string }[];
      };
      get_invitation: {
        Args: { token: string };
        Returns: { entity_name: string; is_for_me: boolean }[];
      };
    };
  };
};

export type NotificationRow = {
  id: string;
  recipient_id: string;
  sender_id: string | null;
  content: string | null;
  kind: string;
  status: string;
  snoozed_until: string | null;
  created_at: string;
  updated_at: string;
};

type Table<Row, Required extends keyof Row> = {
  Row: Row;
  Insert: Pick<Row, Required> & Partial<Row>;
  Update: Partial<Row>;
  Relationships: [];
};
