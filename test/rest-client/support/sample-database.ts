import type { Json } from '../../../src/rest-client/index.ts';

/** A small schema in the form of `supabase gen types typescript`. */
export interface SampleDatabase {
  __InternalSupabase: { PostgrestVersion: '16.4' };
  public: {
    Tables: {
      notes: {
        Row: {
          id: string;
          status: 'draft' | 'done';
          title: string;
          rating: number | null;
          created_at: string;
          tags: string[];
          data: Json;
          during: unknown;
          words: unknown;
          author_id: string | null;
          owner_id: string;
        };
        Insert: { id?: string; status?: 'draft' | 'done'; title: string; rating?: number | null };
        Update: { id?: string; status?: 'draft' | 'done'; title?: string; rating?: number | null };
        Relationships: [
          {
            foreignKeyName: 'notes_author_id_fkey';
            columns: ['author_id'];
            isOneToOne: false;
            referencedRelation: 'people';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'notes_owner_id_fkey';
            columns: ['owner_id'];
            isOneToOne: false;
            referencedRelation: 'owners';
            referencedColumns: ['id'];
          },
        ];
      };
      people: {
        Row: { id: string; name: string };
        Insert: { id: string; name: string };
        Update: { name?: string };
        Relationships: [];
      };
      owners: {
        Row: { id: string; name: string };
        Insert: { id: string; name: string };
        Update: { name?: string };
        Relationships: [];
      };
    };
    Views: {
      note_counts: { Row: { author_id: string | null; n: number | null }; Relationships: [] };
    };
    Functions: {
      greet: { Args: { name: string }; Returns: string };
      clear_all: { Args: never; Returns: undefined };
      recent: { Args: { days?: number }; Returns: { id: string; title: string }[] };
      newest: { Args: never; Returns: { id: string; title: string } };
      found: {
        Args: { text?: string };
        Returns: { id: string; title: string }[];
        SetofOptions: { from: '*'; to: 'notes'; isOneToOne: false; isSetofReturn: true };
      };
      area: { Args: { radius: number }; Returns: number } | { Args: { side: string }; Returns: string };
    };
    Enums: { status: 'draft' | 'done' };
    CompositeTypes: { [_ in never]: never };
  };
  archive: {
    Tables: {
      old_notes: {
        Row: { id: number };
        Insert: { id: number };
        Update: { id?: number };
        Relationships: [];
      };
    };
    Views: { [_ in never]: never };
    Functions: { [_ in never]: never };
  };
}

/** Tables with several foreign keys to one another, and one to itself. */
export interface MessagesDatabase {
  public: {
    Tables: {
      messages: {
        Row: { id: number; sender_id: string; recipient_id: string | null; room_id: number };
        Insert: { id?: number };
        Update: { id?: number };
        Relationships: [
          {
            foreignKeyName: 'messages_sender_id_fkey';
            columns: ['sender_id'];
            isOneToOne: false;
            referencedRelation: 'users';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'messages_recipient_id_fkey';
            columns: ['recipient_id'];
            isOneToOne: false;
            referencedRelation: 'users';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'messages_room_id_fkey';
            columns: ['room_id'];
            isOneToOne: false;
            referencedRelation: 'rooms';
            referencedColumns: ['id'];
          },
        ];
      };
      users: {
        Row: { id: string; name: string };
        Insert: { id: string };
        Update: { id?: string };
        Relationships: [];
      };
      rooms: {
        Row: { id: number; last_message_id: number | null; parent_id: number | null };
        Insert: { id: number };
        Update: { id?: number };
        Relationships: [
          {
            foreignKeyName: 'rooms_last_message_id_fkey';
            columns: ['last_message_id'];
            isOneToOne: false;
            referencedRelation: 'messages';
            referencedColumns: ['id'];
          },
          {
            foreignKeyName: 'rooms_parent_id_fkey';
            columns: ['parent_id'];
            isOneToOne: false;
            referencedRelation: 'rooms';
            referencedColumns: ['id'];
          },
        ];
      };
    };
    Views: { [_ in never]: never };
    Functions: { [_ in never]: never };
  };
}

/** Columns of dates and of integers that a number cannot hold. */
export interface EventsDatabase {
  public: {
    Tables: {
      events: {
        Row: {
          at: string;
          size: number | null;
          parts: number[];
          times: string[] | null;
          note: string | null;
        };
        Insert: { at: string; size?: number | null; parts?: number[]; times?: string[]; note?: string };
        Update: { at?: string; size?: number | null; parts?: number[]; times?: string[]; note?: string };
        Relationships: [];
      };
    };
    Views: { [_ in never]: never };
    Functions: { [_ in never]: never };
  };
}
