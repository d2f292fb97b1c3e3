export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]

export type Database = {
  // Allows to automatically instantiate createClient with right options
  // instead of createClient<Database, { PostgrestVersion: 'XX' }>(URL, KEY)
  __InternalSupabase: {
    PostgrestVersion: "14.1"
  }
  public: {
    Tables: {
      blocked_senders: {
        Row: {
          created_at: string
          sender_id: string
          user_id: string
        }
        Insert: {
          created_at?: string
          sender_id: string
          user_id?: string
        }
        Update: {
          created_at?: string
          sender_id?: string
          user_id?: string
        }
        Relationships: []
      }
      invitations: {
        Row: {
          created_at: string
          entity_id: string | null
          entity_name: string | null
          entity_type: string | null
          expires_at: string
          id: string
          invitee_email: string
          inviter_id: string
          status: string
          token: string
        }
        Insert: {
          created_at?: string
          entity_id?: string | null
          entity_name?: string | null
          entity_type?: string | null
          expires_at?: string
          id?: string
          invitee_email: string
          inviter_id: string
          status?: string
          token?: string
        }
        Update: {
          created_at?: string
          entity_id?: string | null
          entity_name?: string | null
          entity_type?: string | null
          expires_at?: string
          id?: string
          invitee_email?: string
          inviter_id?: string
          status?: string
          token?: string
        }
        Relationships: []
      }
      muted_threads: {
        Row: {
          created_at: string
          entity_id: string
          entity_name: string | null
          entity_type: string
          muted_until: string | null
          user_id: string
        }
        Insert: {
          created_at?: string
          entity_id: string
          entity_name?: string | null
          entity_type: string
          muted_until?: string | null
          user_id?: string
        }
        Update: {
          created_at?: string
          entity_id?: string
          entity_name?: string | null
          entity_type?: string
          muted_until?: string | null
          user_id?: string
        }
        Relationships: []
      }
      notification_bulk_changes: {
        Row: {
          changed_at: string
          revision: number
          user_id: string
        }
        Insert: {
          changed_at?: string
          revision?: number
          user_id: string
        }
        Update: {
          changed_at?: string
          revision?: number
          user_id?: string
        }
        Relationships: []
      }
      notification_counters: {
        Row: {
          archived: number
          read: number
          unread: number
          unread_by_kind: Json
          user_id: string
        }
        Insert: {
          archived?: number
          read?: number
          unread?: number
          unread_by_kind?: Json
          user_id: string
        }
        Update: {
          archived?: number
          read?: number
          unread?: number
          unread_by_kind?: Json
          user_id?: string
        }
        Relationships: []
      }
      notification_kinds: {
        Row: {
          callbacks: string[]
          created_at: string
          email: boolean
          icon: string
          in_app: boolean
          labels: Json
          name: string
          push: boolean
          templates: Json
          updated_at: string
        }
        Insert: {
          callbacks?: string[]
          created_at?: string
          email?: boolean
          icon?: string
          in_app?: boolean
          labels: Json
          name: string
          push?: boolean
          templates?: Json
          updated_at?: string
        }
        Update: {
          callbacks?: string[]
          created_at?: string
          email?: boolean
          icon?: string
          in_app?: boolean
          labels?: Json
          name?: string
          push?: boolean
          templates?: Json
          updated_at?: string
        }
        Relationships: []
      }
      notification_preferences: {
        Row: {
          created_at: string
          digest_hour: number
          digest_weekday: number
          email_comments: boolean
          email_digest_frequency: string
          email_edits: boolean
          email_invites: boolean
          email_mentions: boolean
          enable_email_notifications: boolean
          enable_in_app_notifications: boolean
          id: string
          in_app_comments: boolean
          in_app_edits: boolean
          in_app_invites: boolean
          in_app_mentions: boolean
          kinds: Json
          language: string
          quiet_hours_end: string | null
          quiet_hours_start: string | null
          quiet_weekdays: number[]
          show_online: boolean
          time_zone: string
          updated_at: string
          user_id: string
        }
        Insert: {
          created_at?: string
          digest_hour?: number
          digest_weekday?: number
          email_comments?: boolean
          email_digest_frequency?: string
          email_edits?: boolean
          email_invites?: boolean
          email_mentions?: boolean
          enable_email_notifications?: boolean
          enable_in_app_notifications?: boolean
          id?: string
          in_app_comments?: boolean
          in_app_edits?: boolean
          in_app_invites?: boolean
          in_app_mentions?: boolean
          kinds?: Json
          language?: string
          quiet_hours_end?: string | null
          quiet_hours_start?: string | null
          quiet_weekdays?: number[]
          show_online?: boolean
          time_zone?: string
          updated_at?: string
          user_id: string
        }
        Update: {
          created_at?: string
          digest_hour?: number
          digest_weekday?: number
          email_comments?: boolean
          email_digest_frequency?: string
          email_edits?: boolean
          email_invites?: boolean
          email_mentions?: boolean
          enable_email_notifications?: boolean
          enable_in_app_notifications?: boolean
          id?: string
          in_app_comments?: boolean
          in_app_edits?: boolean
          in_app_invites?: boolean
          in_app_mentions?: boolean
          kinds?: Json
          language?: string
          quiet_hours_end?: string | null
          quiet_hours_start?: string | null
          quiet_weekdays?: number[]
          show_online?: boolean
          time_zone?: string
          updated_at?: string
          user_id?: string
        }
        Relationships: []
      }
      notification_reports: {
        Row: {
          comment: string | null
          content: string | null
          created_at: string
          id: string
          notification_id: string
          reason: string
          reporter_id: string
          sender_id: string | null
        }
        Insert: {
          comment?: string | null
          content?: string | null
          created_at?: string
          id?: string
          notification_id: string
          reason: string
          reporter_id: string
          sender_id?: string | null
        }
        Update: {
          comment?: string | null
          content?: string | null
          created_at?: string
          id?: string
          notification_id?: string
          reason?: string
          reporter_id?: string
          sender_id?: string | null
        }
        Relationships: []
      }
      notifications: {
        Row: {
          content: string | null
          created_at: string
          id: string
          kind: string
          recipient_id: string
          sender_id: string | null
          snoozed_until: string | null
          status: string
          updated_at: string
        }
        Insert: {
          content?: string | null
          created_at?: string
          id?: string
          kind?: string
          recipient_id: string
          sender_id?: string | null
          snoozed_until?: string | null
          status?: string
          updated_at?: string
        }
        Update: {
          content?: string | null
          created_at?: string
          id?: string
          kind?: string
          recipient_id?: string
          sender_id?: string | null
          snoozed_until?: string | null
          status?: string
          updated_at?: string
        }
        Relationships: []
      }
      push_subscriptions: {
        Row: {
          created_at: string
          id: string
          session_id: string
          user_id: string
        }
        Insert: never
        Update: never
        Relationships: []
      }
    }
    Views: {
      [_ in never]: never
    }
    Functions: {
      accept_invitation: {
        Args: { token: string }
        Returns: {
          created_at: string
          entity_id: string
          entity_name: string
          entity_type: string
          expires_at: string
          id: string
          invitee_email: string
          inviter_id: string
          inviter_name: string
          is_for_me: boolean
          status: string
        }[]
      }
      allow_mail_address: {
        Args: never
        Returns: boolean
      }
      create_invitation: {
        Args: {
          entity_id?: string
          entity_name?: string
          entity_type?: string
          invitee_email: string
        }
        Returns: {
          expires_at: string
          id: string
          is_renewed: boolean
          token: string
        }[]
      }
      decline_invitation: {
        Args: { token: string }
        Returns: {
          created_at: string
          entity_id: string
          entity_name: string
          entity_type: string
          expires_at: string
          id: string
          invitee_email: string
          inviter_id: string
          inviter_name: string
          is_for_me: boolean
          status: string
        }[]
      }
      create_recovery_codes: {
        Args: never
        Returns: string[]
      }
      delete_account: {
        Args: never
        Returns: undefined
      }
      delete_notifications: {
        Args: { kind?: string; tab: string; up_to?: string }
        Returns: number
      }
      end_other_sessions: {
        Args: never
        Returns: number
      }
      end_session: {
        Args: { session_id: string }
        Returns: boolean
      }
      export_account_data: {
        Args: never
        Returns: Json
      }
      get_invitation: {
        Args: { token: string }
        Returns: {
          created_at: string
          entity_id: string
          entity_name: string
          entity_type: string
          expires_at: string
          id: string
          invitee_email: string
          inviter_id: string
          inviter_name: string
          is_for_me: boolean
          status: string
        }[]
      }
      list_invitations: {
        Args: never
        Returns: {
          created_at: string
          entity_id: string
          entity_name: string
          entity_type: string
          expires_at: string
          id: string
          invitee_email: string
          inviter_id: string
          inviter_name: string
          is_for_me: boolean
          status: string
          token: string
        }[]
      }
      list_sessions: {
        Args: never
        Returns: {
          aal: string
          created_at: string
          id: string
          is_current: boolean
          last_active_at: string
          user_agent: string
        }[]
      }
      mail_status: {
        Args: never
        Returns: Json
      }
      mark_all_notifications_read: {
        Args: { kind?: string; up_to?: string }
        Returns: number
      }
      notification_changes: {
        Args: { page_size?: number; since: string }
        Returns: Json
      }
      notification_counts: {
        Args: never
        Returns: {
          archived: number
          inbox: number
          snoozed: number
          unread: number
          unread_by_kind: Json
        }[]
      }
      online_topics: {
        Args: never
        Returns: {
          topic: string
          user_id: string
        }[]
      }
      recovery_code_status: {
        Args: never
        Returns: Json
      }
      report_notification: {
        Args: { comment?: string; notification_id: string; reason: string }
        Returns: undefined
      }
      search_notifications: {
        Args: {
          before_created_at?: string
          before_id?: string
          kind?: string
          page_size?: number
          query: string
          tab?: string
        }
        Returns: {
          content: string | null
          created_at: string
          id: string
          kind: string
          recipient_id: string
          sender_id: string | null
          snoozed_until: string | null
          status: string
          updated_at: string
        }[]
        SetofOptions: {
          from: "*"
          to: "notifications"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      send_test_mail: {
        Args: never
        Returns: undefined
      }
      sender_names: {
        Args: { sender_ids: string[] }
        Returns: {
          name: string
          sender_id: string
        }[]
      }
      subscribe_to_push: {
        Args: { auth: string; endpoint: string; p256dh: string }
        Returns: string
      }
      use_recovery_code: {
        Args: { code: string }
        Returns: Json
      }
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] &
        DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] &
        DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R
      }
      ? R
      : never
    : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I
      }
      ? I
      : never
    : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U
      }
      ? U
      : never
    : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = PublicCompositeTypeNameOrOptions extends {
  schema: keyof DatabaseWithoutInternals
}
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never

export const Constants = {
  public: {
    Enums: {},
  },
} as const
