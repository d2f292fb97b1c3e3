import type { Channel } from './message.ts';

/** The icons that the inbox has for kinds. */
export type KindIcon =
  | 'bell'
  | 'info'
  | 'alert'
  | 'check'
  | 'clock'
  | 'calendar'
  | 'card'
  | 'person'
  | 'comment'
  | 'document'
  | 'archive'
  | 'settings';

/** Texts by language (BCP 47), such as `en` and `de-AT`. Missing languages show the English text. */
export type ByLanguage<T> = Readonly<Record<string, T>> & { readonly en: T };

/** A kind of notifications that the team defines. The inbox, its preferences and its mails show it without a new build. */
export interface Kind {
  /** Small letters, digits and underscores, at most 50, such as `build_failed`. `system` changes the defaults of that kind. */
  readonly name: string;
  /** The name in preferences and filters; up to 60 characters. */
  readonly labels: ByLanguage<string>;
  /** Default `bell`. */
  readonly icon?: KindIcon;
  /** Where the kind arrives until a recipient chooses. Default: all channels. */
  readonly channels?: readonly Channel[];
  /**
   * Title (up to 150 characters) and text (up to 500). `{name}` is replaced by a field of the message; `{text}`, `{entity}` and `{sender}`
   * for its parts. Default: the message's own text.
   */
  readonly templates?: ByLanguage<{ readonly title?: string; readonly text?: string }>;
  /**
   * Functions that buttons of its notifications may call: in the schema `public`, with the one argument `notification_id uuid`, granted
   * to `authenticated`. At most 10.
   */
  readonly callbacks?: readonly string[];
  /**
   * A topic: users follow it by turning on one of its `channels`, and `followers: true` sends a message to them.
   * Default: false.
   */
  readonly topic?: boolean;
}
