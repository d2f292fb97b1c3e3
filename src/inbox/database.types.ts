export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]

export type Database = {
  __InternalSupabase: {
    PostgrestVersion: "14.1"
  }
  public: {
    Tables: {
      audience_members: {
        Row: {
          audience: string
          created_at: string
          user_id: string
        }
        Insert: {
          audience: string
          created_at?: string
          user_id: string
        }
        Update: {
          audience?: string
          created_at?: string
          user_id?: string
        }
        Relationships: [
          {
            foreignKeyName: "audience_members_audience_fkey"
            columns: ["audience"]
            isOneToOne: false
            referencedRelation: "audiences"
            referencedColumns: ["name"]
          },
        ]
      }
      audiences: {
        Row: {
          created_at: string
          name: string
        }
        Insert: {
          created_at?: string
          name: string
        }
        Update: {
          created_at?: string
          name?: string
        }
        Relationships: []
      }
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
          is_topic: boolean
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
          is_topic?: boolean
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
          is_topic?: boolean
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
          expires_at: string | null
          id: string
          kind: string
          needs_user: boolean
          recipient_id: string
          sender_id: string | null
          snoozed_until: string | null
          status: string
          thread: string | null
          updated_at: string
        }
        Insert: {
          content?: string | null
          created_at?: string
          expires_at?: string | null
          id?: string
          kind?: string
          needs_user?: boolean
          recipient_id: string
          sender_id?: string | null
          snoozed_until?: string | null
          status?: string
          thread?: string | null
          updated_at?: string
        }
        Update: {
          content?: string | null
          created_at?: string
          expires_at?: string | null
          id?: string
          kind?: string
          needs_user?: boolean
          recipient_id?: string
          sender_id?: string | null
          snoozed_until?: string | null
          status?: string
          thread?: string | null
          updated_at?: string
        }
        Relationships: []
      }
      push_subscriptions: {
        Row: {
          auth: string
          created_at: string
          endpoint: string
          id: string
          p256dh: string
          session_id: string
          user_id: string
        }
        Insert: {
          auth: string
          created_at?: string
          endpoint: string
          id?: string
          p256dh: string
          session_id: string
          user_id: string
        }
        Update: {
          auth?: string
          created_at?: string
          endpoint?: string
          id?: string
          p256dh?: string
          session_id?: string
          user_id?: string
        }
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
      allow_mail_address: { Args: never; Returns: boolean }
      archive_notifications: {
        Args: { kind?: string; most?: number; tab: string; up_to?: string }
        Returns: number
      }
      cancel_message: { Args: { message_id: string }; Returns: Json }
      claim_notification_mails: {
        Args: {
          batch_size?: number
          called_at?: string
          due_before?: string
          lease_seconds?: number
        }
        Returns: Json
      }
      claim_push_messages: {
        Args: {
          batch_size?: number
          called_at?: string
          lease_seconds?: number
        }
        Returns: Json
      }
      claim_webhooks: {
        Args: {
          batch_size?: number
          called_at?: string
          lease_seconds?: number
        }
        Returns: Json
      }
      continue_worker: {
        Args: { function_name: string; worker: number }
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
      create_recovery_codes: { Args: never; Returns: string[] }
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
      delete_account: { Args: never; Returns: undefined }
      delete_notifications: {
        Args: { kind?: string; most?: number; tab: string; up_to?: string }
        Returns: number
      }
      end_other_sessions: { Args: never; Returns: number }
      end_session: { Args: { session_id: string }; Returns: boolean }
      export_account_data: {
        Args: { without_notifications?: boolean }
        Returns: Json
      }
      finish_notification_mail: {
        Args: {
          called_at?: string
          lease: string
          mail_id: string
          outcome: string
          reason?: string
          retry_after_seconds?: number
        }
        Returns: boolean
      }
      finish_push_message: {
        Args: {
          called_at?: string
          lease: string
          message_id: string
          outcome: string
          reason?: string
          retry_seconds?: number
        }
        Returns: boolean
      }
      finish_webhook: {
        Args: {
          called_at?: string
          lease: string
          outcome: string
          reason?: string
          retry_seconds?: number
          webhook_id: string
        }
        Returns: boolean
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
      lift_suppressions: {
        Args: { reason?: string; since: string }
        Returns: number
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
          ip: string
          is_current: boolean
          last_active_at: string
          user_agent: string
        }[]
      }
      mail_status: { Args: never; Returns: Json }
      mark_all_notifications_read: {
        Args: { kind?: string; most?: number; up_to?: string }
        Returns: number
      }
      message_status: {
        Args: {
          after?: string
          message_id: string
          page_size?: number
          user_id?: string
        }
        Returns: Json
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
      preview_invitation: {
        Args: { token: string }
        Returns: {
          entity_name: string
          expires_at: string
          inviter_name: string
          status: string
        }[]
      }
      queue_health: { Args: never; Returns: Json }
      recent_senders_and_threads: {
        Args: never
        Returns: {
          content: string | null
          created_at: string
          expires_at: string | null
          id: string
          kind: string
          needs_user: boolean
          recipient_id: string
          sender_id: string | null
          snoozed_until: string | null
          status: string
          thread: string | null
          updated_at: string
        }[]
        SetofOptions: {
          from: "*"
          to: "notifications"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      recovery_code_status: { Args: never; Returns: Json }
      register_kind: { Args: { kind: Json }; Returns: Json }
      register_webhook: {
        Args: { events?: string[]; url: string }
        Returns: Json
      }
      remove_kind: { Args: { name: string }; Returns: boolean }
      remove_webhook: { Args: { url: string }; Returns: boolean }
      rename_factor: {
        Args: { factor_id: string; name: string }
        Returns: undefined
      }
      report_notification: {
        Args: { comment?: string; notification_id: string; reason: string }
        Returns: undefined
      }
      resend_dead_letters: {
        Args: { died_after?: string; letter_ids?: string[] }
        Returns: Json
      }
      search_notifications: {
        Args: {
          before_created_at?: string
          before_id?: string
          kind?: string
          needs_user?: boolean
          page_size?: number
          query: string
          sender?: string
          tab?: string
          thread?: string
        }
        Returns: {
          content: string | null
          created_at: string
          expires_at: string | null
          id: string
          kind: string
          needs_user: boolean
          recipient_id: string
          sender_id: string | null
          snoozed_until: string | null
          status: string
          thread: string | null
          updated_at: string
        }[]
        SetofOptions: {
          from: "*"
          to: "notifications"
          isOneToOne: false
          isSetofReturn: true
        }
      }
      send_notifications: {
        Args: { dry_run?: boolean; messages: Json }
        Returns: Json
      }
      send_test_mail: { Args: never; Returns: undefined }
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
      suppress_mail_address: {
        Args: { address: string; detail?: string; reason: string }
        Returns: undefined
      }
      unsubscribe_from_mails: {
        Args: {
          called_at?: string
          dry_run?: boolean
          kind?: string
          token: string
          undo?: boolean
        }
        Returns: Json
      }
      use_recovery_code: { Args: { code: string }; Returns: Json }
      withdraw_invitation: {
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
    }
    Enums: {
      [_ in never]: never
    }
    CompositeTypes: {
      [_ in never]: never
    }
  }
}

type Schemas = Omit<Database, "__InternalSupabase">
type DefaultSchema = Schemas[Extract<keyof Database, "public">]
type Relations<S extends keyof Schemas> = Schemas[S]["Tables"] & Schemas[S]["Views"]
type DefaultRelations = DefaultSchema["Tables"] & DefaultSchema["Views"]
type Part<T, Name, Key extends string> = Name extends keyof T
  ? T[Name] extends Record<Key, infer Type>
    ? Type
    : never
  : never

/** Tables<"name">, or Tables<{ schema: "other" }, "name">: a row of a table or view. */
export type Tables<
  First extends keyof DefaultRelations | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Relations<S> : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Part<Relations<S>, Second, "Row">
  : Part<DefaultRelations, First, "Row">

export type TablesInsert<
  First extends keyof DefaultSchema["Tables"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Schemas[S]["Tables"] : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Part<Schemas[S]["Tables"], Second, "Insert">
  : Part<DefaultSchema["Tables"], First, "Insert">

export type TablesUpdate<
  First extends keyof DefaultSchema["Tables"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Schemas[S]["Tables"] : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Part<Schemas[S]["Tables"], Second, "Update">
  : Part<DefaultSchema["Tables"], First, "Update">

export type Enums<
  First extends keyof DefaultSchema["Enums"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas } ? keyof Schemas[S]["Enums"] : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Schemas[S]["Enums"][Second & keyof Schemas[S]["Enums"]]
  : DefaultSchema["Enums"][First & keyof DefaultSchema["Enums"]]

export type CompositeTypes<
  First extends keyof DefaultSchema["CompositeTypes"] | { schema: keyof Schemas },
  Second extends First extends { schema: infer S extends keyof Schemas }
    ? keyof Schemas[S]["CompositeTypes"]
    : never = never,
> = First extends { schema: infer S extends keyof Schemas }
  ? Schemas[S]["CompositeTypes"][Second & keyof Schemas[S]["CompositeTypes"]]
  : DefaultSchema["CompositeTypes"][First & keyof DefaultSchema["CompositeTypes"]]

export const Constants = {
  public: {
    Enums: {},
  },
} as const
